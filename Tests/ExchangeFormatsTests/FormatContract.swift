import ExchangeFormats
import KVBytes
import KVFixtures
import KVInput
import KVModel
import KVSystem
import KVTestSupport
import SystemPackage
import Testing

/// The guarantees of every format for the entries that it writes.
enum FormatContract {
  /// Writes `entries` as `format` represents them, reads them back, and records an issue for each
  /// difference.
  ///
  /// - Returns: The bytes of the file.
  @discardableResult
  static func expectRoundTrip<Format: EntryWriter & EntryReader>(
    _ format: Format, _ entries: [TypedEntry] = Samples.entries,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> [UInt8] {
    let fits = entries.map { format.fit($0) }
    if format.holdsAll {
      #expect(fits == entries.map { EntryFit($0) }, sourceLocation: sourceLocation)
    }
    let fitted = fits.compactMap(\.entry)
    let folder = try TemporaryFolder()
    let path = folder.path.appending("store" + Format.suffix)
    var files = PendingWrite(existing: .keep)
    try format.write(
      EntrySource(name: "store", formatName: "test", fitted), to: path, into: &files)
    try files.commit()

    let found = try format.discover(at: folder.path)
    let table = format.read(found)
    #expect(table.findings == [], sourceLocation: sourceLocation)
    #expect(table.entries.count == fitted.count, sourceLocation: sourceLocation)
    for (read, expected) in zip(table.entries, fitted) {
      #expect(
        read.hasSameContent(as: expected), "\(read.value) is read, not \(expected.value)",
        sourceLocation: sourceLocation)
    }
    #expect(format.recognition(of: found).likelihood >= 80, sourceLocation: sourceLocation)
    for (entry, fit) in zip(entries, fits) {
      let isSame = fit.entry.map { $0.hasSameContent(as: entry) } ?? false
      #expect(
        isSame == fit.losses.isEmpty, "\(entry.value) has the losses \(fit.losses)",
        sourceLocation: sourceLocation)
      // An entry that was made to fit must fit without another change.
      if let fitted = fit.entry {
        let again = format.fit(fitted)
        #expect(
          again.losses.isEmpty && again.entry?.hasSameContent(as: fitted) == true,
          "\(entry.value) twice: \(again)", sourceLocation: sourceLocation)
      }
    }
    return try folder.bytes(of: "store" + Format.suffix)
  }

  /// Reads every prefix of `bytes`, and random one-byte changes of it that `seed` determines.
  static func readMutations(
    of bytes: [UInt8], seed: UInt64, rounds: Int = 2000, _ format: some EntryReader
  ) {
    for count in bytes.indices { _ = format.table(Array(bytes.prefix(count))) }
    var random = SeededGenerator(seed: seed)
    for _ in 0..<rounds {
      var changed = bytes
      let offset = Int.random(in: changed.indices, using: &random)
      changed[offset] = UInt8.random(in: 0 ... .max, using: &random)
      _ = format.table(changed)
    }
  }
}

extension EntryReader {
  /// Returns the contents of a file with `bytes`.
  func table(_ bytes: [UInt8], name: String = "store") -> EntryTable {
    read([StoreFile(.data, at: FilePath(name), FileImage(bytes))])
  }

  /// Returns the codes of the findings in a file with `bytes`.
  func codes(_ bytes: [UInt8]) -> [String] { table(bytes).findings.map(\.code) }
}

extension EntryTable {
  /// The values, by the text of their keys.
  var values: [String: Value] {
    Dictionary(uniqueKeysWithValues: entries.map { ($0.key.text ?? "", $0.value) })
  }
}

extension EntryWriter {
  /// Returns how `value` fits the format.
  func fit(_ value: Value) -> EntryFit { fit(TypedEntry(key: Key([0x6b]), value: value)) }

  /// Returns the value that `value` is converted to.
  func fitted(_ value: Value) -> Value? { fit(value).entry?.value }

  /// Returns the codes of the losses of `value`.
  func losses(_ value: Value) -> [String] { fit(value).losses.map(\.code) }
}
