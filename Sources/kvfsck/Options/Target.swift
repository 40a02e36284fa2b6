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
  func encoder(isPlainJSON: Bool, isXML: Bool, pointerWidth: Int?) -> any EntryEncoder {
    switch self {
    case .mmkv: MMKVFormat(now: 0)
    case .fastkvApple: AppleFastKVFormat(pointerWidth: pointerWidth)
    case .fastkvAndroid: AndroidFastKVFormat()
    case .json: JSONFormat(isPlain: isPlainJSON)
    case .jsonl: JSONLinesFormat()
    case .plist: PropertyListFormat(isXML: isXML)
    case .sharedprefs: SharedPreferencesFormat()
    case .datastore: DataStoreFormat()
    case .sqlite: SQLiteFormat()
    case .yycache: YYCacheFormat()
    case .csv: CSVFormat()
    case .tsv: TSVFormat()
    }
  }
}
