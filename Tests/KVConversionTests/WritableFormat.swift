import ExchangeFormats
import FastKVFormat
import KVBytes
import KVConversion
import KVInput
import KVModel
import KVRecovery
import KVSystem
import KVTestSupport
import MMKVFormat
import SystemPackage
import Testing

/// A format that can be written and read back.
struct WritableFormat: Sendable, CustomTestStringConvertible {
  let title: String
  let encoder: any EntryEncoder
  /// Reads the entries at a path.
  ///
  /// If the format does not store types, the schema states them.
  let read: @Sendable (FilePath, TypeSchema) throws -> [TypedEntry]

  var testDescription: String { title }

  private init(store format: some StoreEncoder) {
    title = type(of: format as any EntryEncoder).name
    encoder = format
    read = { path, schema in try Self.entries(format, path, schema) }
  }

  private init(_ title: String, _ format: some EntryReader & EntryWriter) {
    self.title = title
    encoder = format
    read = { path, _ in
      let table = format.read(try format.discover(at: path))
      guard table.findings.isEmpty else { throw Unexpected(findings: table.findings) }
      return table.entries
    }
  }

  struct Unexpected: Error { let findings: [Finding] }

  /// All such formats, by the names that the documentation uses.
  static var all: [WritableFormat] {
    [
      WritableFormat(store: MMKVFormat(now: 0)),
      WritableFormat(store: AppleFastKVFormat()),
      WritableFormat(store: AndroidFastKVFormat()),
      WritableFormat("json", JSONFormat()),
      WritableFormat("plain JSON", JSONFormat(isPlain: true)),
      WritableFormat("jsonl", JSONLinesFormat()),
      WritableFormat("plist", PropertyListFormat()),
      WritableFormat("XML plist", PropertyListFormat(isXML: true)),
      WritableFormat("sharedprefs", SharedPreferencesFormat()),
      WritableFormat("datastore", DataStoreFormat()),
      WritableFormat("sqlite", SQLiteFormat()),
      WritableFormat("yycache", YYCacheFormat()),
    ]
  }

  /// Returns `entries` as the format represents them.
  func fitted(_ entries: [TypedEntry]) -> [TypedEntry] {
    entries.compactMap { encoder.fit($0).entry }
  }

  /// Writes `entries` and reads them back, sorted by key.
  func roundTrip(_ entries: [TypedEntry]) throws -> [TypedEntry] {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("store" + type(of: encoder).suffix)
    let table = EntryTable(formatName: "test", files: [], entries: entries, findings: [])
    try Conversion(of: TypedSource(table), by: encoder)
      .write(to: path, permissions: .ownerReadWrite) { _ in }.commit()
    let schema = TypeSchema(
      entries.map { TypeSchema.Rule(.key($0.key), $0.value.kind) })
    return try read(path, type(of: encoder).keepsTypes ? .empty : schema)
      .sorted { $0.key < $1.key }
  }

  private static func entries<F: StoreFormat>(
    _ format: F, _ path: FilePath, _ schema: TypeSchema
  ) throws -> [TypedEntry] {
    let store = format.open(try format.discover(at: path)).corrected()
    let diagnosis = Diagnosis(of: store, now: 0)
    guard diagnosis.verdict == .clean,
      let plan = RepairPlanner(strategy: .recover).plan(store, given: diagnosis)
    else { throw Unexpected(findings: diagnosis.findings) }
    var entries: [TypedEntry] = []
    try TypedSource(store, diagnosis, plan, schema: schema).forEachEntry {
      (entry, _) throws(ConversionError) in
      entries.append(entry)
    }
    return entries
  }
}
