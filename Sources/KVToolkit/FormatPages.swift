/// A page about each format: what it is, where apps keep such files, and what can be done with them.
enum FormatPages {
  /// What is known about a format.
  private struct Description {
    let meaning: String
    let places: String
  }

  private static let descriptions: [String: Description] = [
    "mmkv": Description(
      meaning:
        "Tencent's MMKV: a data file with a log of keys and untyped values, and a `.crc` file with its length and checksum. It may be encrypted with AES",
      places: "`files/mmkv` on Android, `Documents/mmkv` on iOS, and folders that the app chose"),
    "fastkv-apple": Description(
      meaning:
        "FastKV for iOS: one `.fkv` file with a header and a log of typed records, each with a checksum",
      places: "`Documents` and `Library` of the app"),
    "fastkv-android": Description(
      meaning:
        "FastKV for Android: a log of typed records in two copies, `.kva` and `.kvb`, or in one `.kvc`; long values are in files of their own. It may be encrypted",
      places: "`files/fastkv` of the app"),
    "json": Description(
      meaning: "one JSON document: entries with their types as kvfsck writes it, or any object",
      places: "where `convert` wrote it"),
    "jsonl": Description(
      meaning: "a line of JSON for each entry, with its type, as kvfsck writes it",
      places: "where `convert` wrote it"),
    "plist": Description(
      meaning:
        "a property list, binary or XML; a dictionary is read as entries, as user defaults are",
      places: "`Library/Preferences` of an app or a user"),
    "sharedprefs": Description(
      meaning:
        "SharedPreferences: an XML file with typed values; a `.bak` beside it is from an unfinished write",
      places: "`shared_prefs` of the app"),
    "datastore": Description(
      meaning: "Jetpack Preferences DataStore: a `.preferences_pb` file in protobuf",
      places: "`files/datastore` of the app"),
    "sqlite": Description(
      meaning: "an SQLite database with entries, history and findings, as kvfsck writes it",
      places: "where `convert` wrote it"),
    "sqlite3": Description(
      meaning:
        "a table of any SQLite database, of which one column has the keys and one the values",
      places: "wherever apps keep databases"),
    "asyncstorage": Description(
      meaning:
        "React Native's AsyncStorage: on Android the database `RKStorage` or `AsyncStorage`, on iOS a folder with `manifest.json` and a file for each long value",
      places:
        "`databases` of the app on Android, `Library/Application Support/…/RCTAsyncLocalStorage_V1` on iOS"
    ),
    "yycache": Description(
      meaning:
        "YYCache: a folder with `manifest.sqlite` and the files of long values in `data`",
      places: "`Library/Caches` of the app"),
    "wcdb": Description(
      meaning:
        "Tencent's WCDB: an SQLite database with repair materials beside it; one of its tables is read",
      places: "wherever apps keep databases"),
    "csv": Description(
      meaning: "a table with the columns key, type and value, separated by commas",
      places: "where `convert` wrote it"),
    "tsv": Description(
      meaning: "a table with the columns key, type and value, separated by tabs",
      places: "where `convert` wrote it"),
  ]

  /// Returns the page about each format of `catalog`.
  static func pages(_ catalog: FormatCatalog) -> [Explanations.Page] {
    catalog.entries.map { format in
      let known = descriptions[format.name]
      return Explanations.Page(
        name: format.name, kind: "format",
        paragraphs: (known.map { [("What it is", $0.meaning), ("Where it is", $0.places)] } ?? [])
          + [("Uses", Topics.uses(of: format))])
    }
  }
}
