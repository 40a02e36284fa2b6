import KVBytes
package import KVModel
package import KVSystem
package import SystemPackage

/// A JSON document of all entries with their types, or an object of keys and values, as people
/// write it.
///
/// Reference: `Docs/CONVERSION.md` § JSON.
package struct JSONFormat: EntryWriter, EntryReader {
  /// The format's name, as `--to` and `--format` take it.
  package static let name = "json"
  /// The suffix of a file's name.
  package static let suffix = ".json"
  /// Whether the format can store evidence, which it can.
  package static let keepsEvidence = true

  /// Whether the plain form is written.
  let isPlain: Bool

  /// Creates the format.
  ///
  /// `isPlain` selects the form that is written. Both forms are read.
  package init(isPlain: Bool = false) { self.isPlain = isPlain }

  /// Returns how `entry` can be stored.
  ///
  /// The typed form stores it unchanged. The plain form stores it with the types that JSON has.
  package func fit(_ entry: TypedEntry) -> EntryFit {
    guard isPlain else { return EntryFit(entry) }
    guard entry.key.text != nil else { return EntryFit(leftOut: "its key is not UTF-8") }
    return withoutExpiry(entry).then { entry in
      guard entry.value.plainJSON != nil else {
        return EntryFit(
          leftOut: PlainJSON.repeatsNames(entry.value)
            ? "it contains a dictionary with a duplicate name" : "JSON has no NaN or infinity")
      }
      let value = PlainJSON.value(of: entry.value)
      return value.isSame(as: entry.value)
        ? EntryFit(entry)
        : PlainJSON.isSameToPeople(entry.value)
          ? changingType(entry, to: value)
          : changingValue(entry, to: value, because: "plain JSON has no \(entry.value.kind)")
    }
  }

  /// Writes the entries one by one.
  ///
  /// - Throws: `.file`, or an error from reading the source.
  package func write(
    _ source: EntrySource, to path: FilePath, into files: inout PendingWrite
  ) throws(ConversionError) {
    let isPlain = isPlain
    try files.writeStream(to: path) { (stream) throws(ConversionError) in
      if isPlain {
        stream.write("{")
      } else {
        let header = JSONLine.text { $0.object { EntryLines.header(&$0, source) } }
        stream.write(header.dropLast() + ",\"entries\":[")
      }
      var separator = "\n"
      var line: [UInt8] = []
      try source.forEachEntry { (entry) throws(ConversionError) in
        line.removeAll(keepingCapacity: true)
        line.append(contentsOf: separator.utf8)
        if isPlain {
          line.append(contentsOf: "  ".utf8)
          JSONBytes.append(quoted: entry.key.text ?? "", to: &line)
          line.append(contentsOf: ": ".utf8)
          line.append(contentsOf: (entry.value.plainJSON ?? "null").utf8)
        } else {
          JSONLine.append(to: &line) { $0.entry(entry) }
        }
        stream.write(line)
        separator = ",\n"
      }
      stream.write(isPlain ? "\n}\n" : "\n]}\n")
    }
  }

  /// Finds the file.
  package func discover(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> [StoreFile] {
    [try FileReading.file(in: source, at: path, format: Self.name, suffix: Self.suffix)]
  }

  /// Judges the file by its first character and the start of its content.
  package func recognition(of files: [StoreFile]) -> Recognition {
    let start = files.first.map { Self.start(of: $0.image) } ?? []
    guard let first = start.prefix(64).first(where: { $0 > 0x20 }), first == UInt8(ascii: "{")
    else { return Recognition(0, because: ["it does not begin with a brace"]) }
    if Self.isTyped(start) {
      return Recognition(98, because: ["it begins like a document of entries"])
    }
    let hasName = files.first?.path.extension == "json"
    return Recognition(hasName ? 85 : 30, because: ["it begins with a brace, like JSON"])
  }

  /// Returns whether a document that begins with `start` is one of entries with their types.
  private static func isTyped(_ start: [UInt8]) -> Bool {
    let text = String(decoding: start, as: UTF8.self)
    return text.contains("\"kvfsck\":\"entries\"") && text.contains("\"entries\":[")
  }

  /// Returns the start of a document as UTF-8, without a byte order mark.
  private static func start(of image: FileImage) -> [UInt8] {
    let bytes = JSONDocumentReader.utf8(image.bytes(in: 0..<min(512, image.count)))
    return bytes.starts(with: [0xef, 0xbb, 0xbf]) ? Array(bytes.dropFirst(3)) : bytes
  }

  /// Returns the entries.
  package func read(_ files: [StoreFile]) -> EntryTable {
    guard let file = files.first else {
      return EntryTable(formatName: Self.name, files: [], entries: [], findings: [])
    }
    var reader = JSONDocumentReader(file.image)
    reader.read()
    return EntryTable(
      formatName: Self.name, files: files, entries: reader.entries, findings: reader.findings,
      isRefused: file.image.count > 0 && reader.findings.contains { $0.severity == .damage })
  }

  /// Returns what Flutter's shared_preferences does on Linux and Windows, if the file has its name.
  package static func refusals(of table: EntryTable) -> [LibraryRefusal]? {
    table.files.first?.path.name == "shared_preferences.json"
      ? [.throwing("FormatException")] : nil
  }
}

extension JSONFormat: EncodingRestorer {
  /// Returns the format that writes documents of the form that those of `table` have.
  package func writing(like table: EntryTable) -> JSONFormat {
    JSONFormat(isPlain: !Self.isTyped(table.files.first.map { Self.start(of: $0.image) } ?? []))
  }
}
