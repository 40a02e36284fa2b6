import FastKVFormat
import KVModel
import MMKVFormat

extension StoreSettings.Format {
  /// The format, for opening its stores.
  func storeFormat(key: StoreKey?, now: UInt32) -> any StoreFormat {
    switch self {
    case .mmkv:
      MMKVFormat(key: key.map { MMKVKey($0.bytes, isAES256: $0.isAES256) }, now: now)
    case .fastkvApple: AppleFastKVFormat()
    case .fastkvAndroid: AndroidFastKVFormat(key: key?.bytes)
    }
  }
}
