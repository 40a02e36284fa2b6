import KVBytes
import KVModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads a JSON document that consists of typed entries, or is an object of keys and values.
struct JSONDocumentReader {
  private let bytes: [UInt8]
  private(set) var entries: [TypedEntry] = []
  private var list = FindingList()
  private var place = (offset: 0, line: 1)

  /// The range of the file if its bytes differ from `bytes`, as with UTF-16, or `nil` if not.
  private let whole: Range<Int>?

  init(_ image: FileImage) {
    bytes = JSONDocumentReader.utf8(image.bytes)
    whole = bytes == image.bytes ? nil : image.range
  }

  /// The findings.
  var findings: [Finding] { list.all }

  /// Reads the document up to the first syntax error.
  mutating func read() {
    var scanner = JSONScanner(bytes, passingBrokenTexts: true)
    var end: Int?
    do throws(JSONScanner.Fault) {
      let form = self.form
      if form.isOfEntries {
        if let finding = EntryLines.finding(schema: form.schema, at: extent(0..<bytes.count)) {
          list.add(finding)
        }
        try readEntries(&scanner)
      } else {
        try scanner.object { (scanner, name, start) throws(JSONScanner.Fault) in
          try readMember(name, start, &scanner)
        }
      }
      end = scanner.offset
      try scanner.end()
    } catch {
      // What follows the entry may have been a part of it.
      if !isApart(error.offset, from: end), let last = entries.indices.last {
        entries[last] = entries[last].cautioned()
      }
      report(
        JSONFindings.malformed, error.offset..<bytes.count,
        "line \(line(error.offset)): \(error.reason); "
          + (entries.isEmpty ? "nothing can be read" : "the rest of the file is not read"))
    }
    for finding in Duplicates.remove(from: &entries, JSONFindings.duplicateKey) {
      list.add(finding)
    }
  }

  /// Returns whether what is at `offset`, behind the `end` of the document, is no part of it.
  ///
  /// Zeros are none, nor is the start of another document; of what else there is, the byte that ends the
  /// document may have replaced one.
  private func isApart(_ offset: Int, from end: Int?) -> Bool {
    guard let end, offset >= end, offset < bytes.count else { return false }
    return [0, UInt8(ascii: "{"), UInt8(ascii: "[")].contains(bytes[offset])
  }

  /// Whether the document states that it contains entries and does, and the schema that it states.
  ///
  /// The document is read only up to its first syntax error.
  private var form: (isOfEntries: Bool, schema: Value?) {
    var scanner = JSONScanner(bytes, passingBrokenTexts: true)
    var isOfEntries = false
    var hasEntries = false
    var schema: Value?
    _ = try? scanner.object { (scanner, name, _) throws(JSONScanner.Fault) in
      if name == "entries" { hasEntries = true }
      switch name {
      case "kvfsck": if case .string("entries") = try scanner.value() { isOfEntries = true }
      case "schema": schema = try scanner.value()
      default: try scanner.skipValue()
      }
    }
    // An app may have a setting called "kvfsck".
    return (isOfEntries && (hasEntries || schema != nil), schema)
  }

  // MARK: Keys and values

  private mutating func readMember(
    _ name: String, _ start: Int, _ scanner: inout JSONScanner
  ) throws(JSONScanner.Fault) {
    let nameObstacle = scanner.takeObstacle()
    let value = try scanner.value()
    let range = start..<scanner.offset
    if range.upperBound == bytes.count, let last = bytes.last, (0x30...0x39).contains(last) {
      throw JSONScanner.Fault(
        offset: start, reason: "the document ends in a number, which may have had more digits")
    }
    reportChanges(in: name, scanner)
    if let obstacle = nameObstacle {
      _ = scanner.takeObstacle()
      report(
        JSONFindings.value, range,
        "line \(line(obstacle.offset)): a name similar to \(Value.mentioned(name)) is not read, nor is its "
          + "value: \(obstacle.reason)")
      return
    }
    if let obstacle = scanner.takeObstacle() {
      report(
        JSONFindings.value, range,
        "line \(line(obstacle.offset)): the value of \(Value.mentioned(name)) is not read: "
          + obstacle.reason)
      return
    }
    entries.append(
      TypedEntry(
        key: Key(Array(name.utf8)), value: value,
        origin: EntryOrigin(.structure, at: RoleNames().place(extent(range)))))
  }

  /// Reports what of the value of `name`, which was just read, is not kept.
  private mutating func reportChanges(in name: String, _ scanner: JSONScanner) {
    for duplicate in scanner.duplicates {
      report(
        JSONFindings.duplicateKey, duplicate.offset..<scanner.offset,
        "line \(line(duplicate.offset)): an object in the value of \(Value.mentioned(name)) has the name "
          + "\(Value.mentioned(duplicate.name)) more than once; the last one is used",
        losesContent: true)
    }
    for rounding in scanner.roundings {
      report(
        JSONFindings.numberRounded, rounding.offset..<scanner.offset,
        "line \(line(rounding.offset)): in the value of \(Value.mentioned(name)), \(rounding.reason)",
        losesContent: true)
    }
  }

  // MARK: Entries with types

  private mutating func readEntries(
    _ scanner: inout JSONScanner
  ) throws(JSONScanner.Fault) {
    try scanner.object { (scanner, name, _) throws(JSONScanner.Fault) in
      guard name == "entries" else { return try scanner.skipValue() }
      try scanner.array { (scanner) throws(JSONScanner.Fault) in
        let start = scanner.offset
        try scanner.skipValue()
        readEntry(start..<scanner.offset)
      }
    }
  }

  private mutating func readEntry(_ range: Range<Int>) {
    do {
      let object = Array(bytes[range])
      let entry = try JSONDecoder().decode(EntryEnvelope.self, from: Data(object)).entry
      entries.append(entry)
      for loss in EntryLosses(in: object, readAs: entry.value).all {
        report(
          loss.code, range, "line \(line(range.lowerBound + loss.offset)): \(loss.reason)",
          losesContent: true)
      }
    } catch {
      report(
        JSONFindings.line, range,
        "line \(line(range.lowerBound)) is not an entry: \(EntryEnvelope.explanation(of: error))")
    }
  }

  // MARK: Findings

  /// Returns the line of the byte at `offset`, counting from the line that was returned last.
  private mutating func line(_ offset: Int) -> Int {
    let between = min(offset, place.offset)..<max(offset, place.offset)
    let count = bytes[between].count { $0 == UInt8(ascii: "\n") }
    place = (offset, offset < place.offset ? place.line - count : place.line + count)
    return place.line
  }

  /// Returns the extent of `range` in the file.
  private func extent(_ range: Range<Int>) -> Extent { Extent(.data, whole ?? range) }

  private mutating func report(
    _ code: FindingCode, _ range: Range<Int>, _ message: String,
    losesContent: Bool = false
  ) {
    list.add(Finding(code, at: extent(range), message, losesContent: losesContent))
  }

  /// Returns the document as UTF-8.
  ///
  /// RFC 4627 allowed UTF-16, which begins with a byte order mark or has zero bytes.
  static func utf8(_ bytes: [UInt8]) -> [UInt8] {
    let isLittle =
      bytes.starts(with: [0xff, 0xfe]) || bytes.count > 1 && bytes[0] != 0 && bytes[1] == 0
    let isBig =
      bytes.starts(with: [0xfe, 0xff]) || bytes.count > 1 && bytes[0] == 0 && bytes[1] != 0
    guard isLittle || isBig, bytes.count.isMultiple(of: 2) else { return bytes }
    let units = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isLittle ? second << 8 | first : first << 8 | second
    }
    guard let text = String(utf16: units.drop { $0 == 0xfeff }) else {
      return bytes
    }
    return Array(text.utf8)
  }
}
