import ExchangeFormats
import KVBytes
import KVInput
import KVModel
import KVRecovery
import KVReport
import KVSystem
import SystemPackage

extension FuzzTarget {
  /// Reads a file in a format without a log.
  ///
  /// The entries that were read are written, and must be read back as the format represents them.
  ///
  ///     offset  count  field
  ///          0      1  format: json, plain JSON, jsonl, plist, XML plist, sharedprefs, datastore,
  ///                    asyncstorage; bit 7: there is a second file, bit 6: the entries are written
  ///                    and read back
  ///          1      2  with bit 7: count of the second file, little-endian
  ///          …      …  the second file, then the first
  public static let exchange = FuzzTarget(name: "exchange") { bytes throws(Violation) in
    try expectSound(bytes, exchangeReaders)
  }

  /// Does the same with SQLite databases, which take ten times as long.
  ///
  /// The formats are sqlite, asyncstorage, yycache, wcdb with two kinds of material, and any table.
  public static let sqlite = FuzzTarget(name: "sqlite") { bytes throws(Violation) in
    try expectSound(bytes, sqliteReaders)
  }
}

private func expectSound(_ bytes: [UInt8], _ readers: [ExchangeReader]) throws(Violation) {
  var input = Input(bytes)
  let selector = input.byte()
  let side = selector & 0x80 != 0 ? input.countedBytes() : nil
  let main = input.remainder()
  let choice = readers[Int(selector & 0x3f) % readers.count]
  let folder = FilePath("fuzz/nowhere")
  var files = [StoreFile(.data, at: folder.appending(choice.name), FileImage(main))]
  if let side {
    files.append(StoreFile(choice.sideRole, at: folder.appending(choice.side), FileImage(side)))
  }
  try expectSoundTable(choice.reader, files)
  if selector & 0x40 != 0, let format = choice.reader as? any EntryWriter & EntryReader {
    try expectRoundTrip(format, format.read(files).entries)
  }
}

/// A reader of an input, and the names of its files.
private struct ExchangeReader: Sendable {
  let reader: any EntryReader
  let name: String
  let side: String
  let sideRole: FileRole

  init(
    _ reader: any EntryReader, _ name: String, side: String = "side",
    sideRole: FileRole = .external
  ) {
    self.reader = reader
    self.name = name
    self.side = side
    self.sideRole = sideRole
  }
}

private let exchangeReaders = [
  ExchangeReader(JSONFormat(), "store.json"),
  ExchangeReader(JSONFormat(isPlain: true), "store.json"),
  ExchangeReader(JSONLinesFormat(), "store.jsonl"),
  ExchangeReader(PropertyListFormat(), "store.plist"),
  ExchangeReader(PropertyListFormat(isXML: true), "store.plist"),
  ExchangeReader(SharedPreferencesFormat(), "store.xml"),
  ExchangeReader(DataStoreFormat(), "store.preferences_pb"),
  ExchangeReader(
    AsyncStorageReader(), "manifest.json", side: "8c7dd922ad47494fc02c388e12c00eac"),
]

private let sqliteReaders = [
  ExchangeReader(SQLiteFormat(), "store.sqlite", side: "store.sqlite-wal", sideRole: .side),
  ExchangeReader(AsyncStorageReader(), "RKStorage", side: "RKStorage-wal", sideRole: .side),
  ExchangeReader(
    YYCacheFormat(candidateKeys: ["a", "key"]), "manifest.sqlite",
    side: "0cc175b9c0f1b6a831c399e269772661"),
  ExchangeReader(
    WCDBReader(), "store.db", side: "store.db-first.material", sideRole: .firstMaterial),
  ExchangeReader(
    WCDBReader(), "store.db", side: "store.db-last.material", sideRole: .lastMaterial),
  ExchangeReader(
    SQLiteTableReader(table: "t", keyColumn: "k", valueColumn: "v"), "store.db",
    side: "store.db-journal", sideRole: .side),
]

/// Expects that all extents lie within the files, and that everything can be reported.
private func expectSoundTable<R: EntryReader>(_ reader: R, _ files: [StoreFile]) throws(Violation) {
  let recognition = reader.recognition(of: files)
  guard (0...100).contains(recognition.likelihood) else {
    throw Violation("a likelihood is a percentage", "\(recognition)")
  }
  let table = reader.read(files)
  for extent in table.entries.map(\.origin.extent) + table.findings.map(\.extent) {
    guard let extent, R.self != SQLiteFormat.self else { continue }
    let count = files.reduce(0) { $0 + ($1.role == extent.file ? $1.image.count : 0) }
    guard extent.offset >= 0, extent.end <= count else {
      throw Violation("what is spoken of exists", "\(extent) of \(count) bytes")
    }
  }
  var length = 0
  let sink = TextReporter.Sink(inColor: true) { length += $0.count }
  let reporters: [any Reporter] = [
    TextReporter(.check, to: sink, errors: sink, advice: { "\($0)" }),
    JSONLinesReporter(forTerminal: false) { length += $0.count },
  ]
  for reporter in reporters {
    reporter.report(.read(table, clock: 0))
    for entry in table.entries { reporter.report(.typedEntry(entry)) }
    reporter.report(.findings(table.findings, in: table.files))
    reporter.report(
      .summary(
        ReportSummary(
          .clean, entries: EntryCount(entries: table.entries.count),
          findings: table.findings.count, exit: 0)))
  }
}

/// Expects that `format` reads the entries back as it represents them.
private func expectRoundTrip<Format: EntryWriter & EntryReader>(
  _ format: Format, _ entries: [TypedEntry]
) throws(Violation) {
  var keys: Set<Key> = []
  let fitted = entries.compactMap { format.fit($0).entry }
    .filter { keys.insert($0.key).inserted }
  // A disk error says nothing about the format.
  guard let read = try writtenAndRead(format, fitted) else { return }
  guard read.count == fitted.count else {
    throw Violation(
      "what fits is read back", "\(read.count) of \(fitted.count) entries of \(Format.name)")
  }
  let found = Dictionary(read.map { ($0.key, $0) }) { first, _ in first }
  for entry in fitted where found[entry.key]?.hasSameContent(as: entry) != true {
    throw Violation(
      "what fits is read back", "\(String(describing: found[entry.key])) for \(entry)")
  }
}

/// Writes the entries and returns those that `format` reads back, or `nil` after a disk error.
private func writtenAndRead<Format: EntryWriter & EntryReader>(
  _ format: Format, _ entries: [TypedEntry]
) throws(Violation) -> [TypedEntry]? {
  let folder = temporaryPath()
  guard (try? Folder.make(folder)) != nil else { return nil }
  defer { removeAll(folder) }
  let path = folder.appending("store" + Format.suffix)
  var files = PendingWrite(existing: .keep)
  do throws(ConversionError) {
    try format.write(
      EntrySource(name: "store", formatName: "fuzz", entries), to: path, into: &files)
  } catch .file {
    return nil
  } catch {
    throw Violation("what fits can be written", error.message)
  }
  guard (try? files.commit()) != nil else { return nil }
  let found: [StoreFile]
  do throws(DiscoveryError) {
    // Some formats write a folder, which is then the store.
    found = try format.discover(at: Folder.exists(path) ? path : folder)
  } catch {
    throw Violation("what is written is found", error.message)
  }
  let table = format.read(found)
  // Zeros that an app has written in a text look like those of a page that was lost.
  let findings = table.findings.filter { !$0.code.hasPrefix("value.") }
  guard findings.isEmpty else {
    throw Violation("what is written is whole", "\(findings.map(\.message))")
  }
  return table.entries
}

/// Returns a new path, in memory if possible, for files that are not kept.
func temporaryPath() -> FilePath {
  FilePath(Folder.exists("/dev/shm") ? "/dev/shm" : "/tmp").appending(
    "kvfsck-fuzz-\(String(UInt64.random(in: 0 ... .max), radix: 36))")
}

private func removeAll(_ folder: FilePath) {
  // A folder that cannot be removed is left in a place for temporary files.
  for name in (try? Folder.names(in: folder)) ?? [] {
    let path = folder.appending(name)
    if Folder.exists(path) { removeAll(path) } else { _ = try? Folder.removeFile(path) }
  }
  Folder.removeIfEmpty(folder)
}
