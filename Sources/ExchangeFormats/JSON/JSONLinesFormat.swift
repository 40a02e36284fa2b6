import KVBytes
package import KVModel
package import KVSystem
package import SystemPackage

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// JSON lines, which consist of a header and of a line for each entry.
///
/// See ``EntryEnvelope`` for the form of the lines. Reference: `Docs/CONVERSION.md` § JSON.
package struct JSONLinesFormat: EntryWriter, EntryReader {
  /// The format's name, as `--to` and `--format` take it.
  package static let name = "jsonl"
  /// The suffix of a file's name.
  package static let suffix = ".jsonl"
  /// Whether the format can store evidence, which it can.
  package static let keepsEvidence = true

  /// The maximum number of bytes in a header.
  private static let headerLimit = 1 << 16

  /// Creates the format.
  package init() {}

  /// Returns `entry` unchanged.
  package func fit(_ entry: TypedEntry) -> EntryFit { EntryFit(entry) }

  /// `true`.
  package var holdsAll: Bool { true }

  /// Writes the entries one by one.
  ///
  /// - Throws: `.file`, or an error from reading the source.
  package func write(
    _ source: EntrySource, to path: FilePath, into files: inout PendingWrite
  ) throws(ConversionError) {
    try files.writeStream(to: path) { (stream) throws(ConversionError) in
      stream.write(JSONLine.text { $0.object { EntryLines.header(&$0, source) } } + "\n")
      var line: [UInt8] = []
      try source.forEachEntry { (entry) throws(ConversionError) in
        line.removeAll(keepingCapacity: true)
        JSONLine.append(to: &line) { $0.entry(entry) }
        line.append(UInt8(ascii: "\n"))
        stream.write(line)
      }
    }
  }

  /// Finds the file.
  package func discover(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> [StoreFile] {
    [try FileReading.file(in: source, at: path, format: Self.name, suffix: Self.suffix)]
  }

  /// Judges the file by the header in its first line.
  package func recognition(of files: [StoreFile]) -> Recognition {
    // A file of another format may be a single long line.
    guard let image = files.first?.image,
      case let head = image.bytes(in: 0..<min(Self.headerLimit, image.count)),
      case let start = FileImage(JSONDocumentReader.utf8(head)),
      let line = Lines(start).first, Self.isHeader(start.bytes(in: line))
    else { return Recognition(0, because: ["the first line is not a header of entries"]) }
    return Recognition(99, because: ["the first line is a header of entries"])
  }

  /// Returns the entries.
  ///
  /// A line that is not an entry is skipped, with a finding.
  package func read(_ files: [StoreFile]) -> EntryTable {
    var entries: [TypedEntry] = []
    var findings: [Finding] = []
    for file in files.prefix(1) {
      let converted = JSONDocumentReader.utf8(file.image.bytes)
      let isConverted = converted != file.image.bytes
      let image = isConverted ? FileImage(converted) : file.image
      var isFirst = true
      for (number, line) in Lines(image) {
        defer { isFirst = false }
        // Offsets in converted UTF-16 are not those in the file.
        let (bytes, place) = (image.bytes(in: line), isConverted ? file.image.range : line)
        if isFirst, Self.isHeader(bytes) {
          let schema = Self.schema(inHeader: bytes)
          findings +=
            EntryLines.finding(schema: schema, at: Extent(.data, place)).map { [$0] } ?? []
          continue
        }
        do {
          let entry = try JSONDecoder().decode(EntryEnvelope.self, from: Data(bytes)).entry
          entries.append(entry.from(file.place(place)))
          findings += EntryLosses(in: bytes, readAs: entry.value).all.map { loss in
            Finding(
              loss.code, at: Extent(.data, place), "line \(number): \(loss.reason)",
              losesContent: true)
          }
        } catch {
          findings.append(
            Finding(
              JSONFindings.line, at: Extent(.data, place),
              "line \(number) is not an entry: \(EntryEnvelope.explanation(of: error))"))
        }
      }
    }
    findings += Duplicates.remove(from: &entries, JSONFindings.duplicateKey)
    return EntryTable(
      formatName: Self.name, files: files, entries: entries, findings: findings)
  }

  private static func isHeader(_ bytes: [UInt8]) -> Bool {
    (try? JSONDecoder().decode(HeaderLine.self, from: Data(bytes)))?.isHeader ?? false
  }

  /// Returns the schema version that a header states.
  private static func schema(inHeader bytes: [UInt8]) -> Value? {
    var scanner = JSONScanner(bytes)
    var schema: Value?
    // A header is known to be JSON.
    _ = try? scanner.object { (scanner, name, _) throws(JSONScanner.Fault) in
      let value = try scanner.value()
      if name == "schema" { schema = value }
    }
    return schema
  }
}

extension TypedEntry {
  /// Returns the entry as read from `place`.
  fileprivate func from(_ place: Place) -> TypedEntry {
    TypedEntry(
      key: key, value: value, expiry: expiry,
      origin: EntryOrigin(origin.evidence, cautions: origin.cautions, at: place))
  }
}

/// A line that may be a header.
///
/// A document with its entries on the same line is not a header.
private struct HeaderLine: Decodable {
  private enum Field: String, CodingKey { case kvfsck, schema, entries }

  let isHeader: Bool

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Field.self)
    isHeader =
      try container.decode(String.self, forKey: .kvfsck) == "entries"
      && container.contains(.schema) && !container.contains(.entries)
  }
}

/// The nonempty lines of a file, without their line ends, and their numbers from 1.
private struct Lines: Sequence, IteratorProtocol {
  private let image: FileImage
  private var offset = 0
  private var number = 0

  init(_ image: FileImage) { self.image = image }

  var first: Range<Int>? { first { _ in true }?.range }

  mutating func next() -> (number: Int, range: Range<Int>)? {
    while offset < image.count {
      let start = offset
      number += 1
      while offset < image.count, image[offset] != UInt8(ascii: "\n") { offset += 1 }
      var end = offset
      offset += 1
      if end > start, image[end - 1] == UInt8(ascii: "\r") { end -= 1 }
      if end > start { return (number, start..<end) }
    }
    return nil
  }
}
