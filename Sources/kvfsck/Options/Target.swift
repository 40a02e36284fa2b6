import ArgumentParser
import ExchangeFormats
import FastKVFormat
import KVModel
import MMKVFormat

/// The formats that `--to` takes.
enum Target: String, ExpressibleByArgument, CaseIterable {
  case mmkv
  case fastkvApple = "fastkv-apple"
  case fastkvAndroid = "fastkv-android"
  case json, jsonl, plist, sharedprefs, datastore, sqlite, yycache, csv, tsv

  /// What writes the format.
  func encoder(isPlainJSON: Bool, isXML: Bool, pointerWidth: Int?, now: UInt32) -> any EntryEncoder
  {
    switch self {
    case .mmkv: MMKVFormat(now: now)
    case .fastkvApple: AppleFastKVFormat(pointerWidth: pointerWidth)
    case .fastkvAndroid: AndroidFastKVFormat()
    case .json: JSONFormat(isPlain: isPlainJSON)
    case .jsonl: JSONLinesFormat()
    case .plist: PropertyListFormat(isXML: isXML)
    case .sharedprefs: SharedPreferencesFormat()
    case .datastore: DataStoreFormat()
    case .sqlite: SQLiteFormat()
    case .yycache: YYCacheFormat(time: Int64(now))
    case .csv: CSVFormat()
    case .tsv: TSVFormat()
    }
  }
}
