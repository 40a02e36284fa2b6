import KVBytes
package import KVModel
package import KVSystem
package import SystemPackage

/// Rows for a spreadsheet, with commas (RFC 4180) or with tabs; written only.
///
/// A text that a spreadsheet would take for a formula gets an apostrophe in front.
///
/// Reference: `Docs/CONVERSION.md` § CSV and TSV.
package protocol DelimitedFormat: EntryEncoder {
  /// What stands between two fields.
  static var delimiter: Character { get }
}

extension DelimitedFormat {
  /// Whether a reader finds the types: there is a column for them.
  package static var keepsTypes: Bool { true }
  /// Whether there is room for evidence: yes.
  package static var keepsEvidence: Bool { true }

  private static var columns: [String] {
    [
      "key", "key_hex", "type", "value", "iso8601", "time_unit", "expires_at", "evidence",
      "cautions", "file", "offset", "length", "raw_hex",
    ]
  }

  /// What becomes of `entry`: itself, for people.
  package func fit(_ entry: TypedEntry) -> EntryFit { EntryFit(entry) }

  /// Writes a row for each entry, after one with the names of the columns; of several stores, with one
  /// more that says which.
  ///
  /// - Throws: `.file`; what reading the source throws.
  package func write(
    _ source: EntrySource, to path: FilePath, into files: inout PendingWrite
  ) throws(ConversionError) {
    try files.writeStream(to: path) { (stream) throws(ConversionError) in
      let isMerged = source.stores.count > 1
      var row = DelimitedRow(Self.delimiter)
      for column in Self.columns + (isMerged ? ["store"] : []) { row.add(column) }
      row.end(in: stream)
      try source.forEachEntry { (entry) throws(ConversionError) in
        Self.add(entry, to: &row)
        if isMerged { row.add(Self.guarded(entry.origin.store?.string ?? "")) }
        row.end(in: stream)
      }
    }
  }

  private static func add(_ entry: TypedEntry, to row: inout DelimitedRow) {
    let (origin, time) = (entry.origin, entry.value.time)
    row.add(guarded(entry.key.text ?? ""))
    row.add(hexadecimal: entry.key.bytes)
    row.add(entry.value.kind.rawValue)
    switch entry.value {
    case .bytes(let bytes), .raw(let bytes), .keyedArchive(_, let bytes), .object(_, let bytes):
      row.add(hexadecimal: bytes)
    default: row.add(text(of: entry.value))
    }
    row.add(time?.text ?? "")
    row.add(time?.unit.name ?? "")
    row.add(entry.expiry == 0 ? "" : "\(entry.expiry)")
    row.add(origin.evidence.rawValue)
    row.add(origin.cautions.map(\.rawValue).joined(separator: " "))
    row.add(origin.place?.roleName ?? "")
    row.add(origin.place.map { "\($0.extent.offset)" } ?? "")
    row.add(origin.place.map { "\($0.extent.count)" } ?? "")
    row.add(hexadecimal: origin.raw ?? [])
  }

  private static func text(of value: Value) -> String {
    switch value {
    case .string(let text), .json(let text): guarded(text)
    case .float(let number): "\(number)"
    case .double(let number), .date(let number): "\(number)"
    case .null: ""
    // A list with NaN in it has no JSON; Swift's own text is for people too.
    case .list(let list): value.plainJSON ?? "\(Array(list))"
    default: value.plainJSON ?? ""
    }
  }

  /// What a spreadsheet shows instead of carrying it out.
  ///
  /// Some pass over what is not seen at the beginning, and take full-width and small signs, and the sign
  /// for minus of mathematics, for the plain ones.
  private static func guarded(_ text: String) -> String {
    // Most begin with a letter or a digit.
    guard let byte = text.utf8.first, !byte.isPlain else { return text }
    let scalars = text.unicodeScalars
    guard let first = scalars.first else { return text }
    let seen = scalars.first { !isUnseen($0) }
    let isFormula = seen.map { formulaStarts.contains($0) } ?? false
    return isFormula || "\t\r\n".unicodeScalars.contains(first) ? "'" + text : text
  }

  private static var formulaStarts: String.UnicodeScalarView { "=+-@＝＋－＠−﹢﹣﹦﹫".unicodeScalars }

  private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator: true
    default:
      scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint
        || scalar == "\u{2800}"  // The empty cell of Braille.
    }
  }
}

/// A row that is put together, in bytes of UTF-8: one after the other in the same memory.
private struct DelimitedRow {
  private static let quote = UInt8(ascii: "\"")

  private let delimiter: UInt8
  private var bytes: [UInt8] = []
  /// Whether the next field is the first; it may have no bytes.
  private var isEmpty = true

  /// Rows with `delimiter`, a character of ASCII, between two fields.
  init(_ delimiter: Character) { self.delimiter = delimiter.asciiValue ?? 0 }

  /// Adds a field, in quotation marks where it has to be.
  mutating func add(_ field: String) {
    begin()
    let start = bytes.count
    bytes.append(contentsOf: field.utf8)
    guard bytes[start...].contains(where: needsQuotes) else { return }
    bytes.removeSubrange(start...)
    bytes.append(Self.quote)
    for byte in field.utf8 {
      if byte == Self.quote { bytes.append(Self.quote) }
      bytes.append(byte)
    }
    bytes.append(Self.quote)
  }

  /// Adds the hexadecimal text of `content` as a field.
  mutating func add(hexadecimal content: [UInt8]) {
    begin()
    for byte in content { Hexadecimal.append(byte, to: &bytes) }
  }

  /// Writes the row with its end to `stream`; the next one begins.
  mutating func end(in stream: FileStream) {
    bytes.append(UInt8(ascii: "\r"))
    bytes.append(UInt8(ascii: "\n"))
    stream.write(bytes)
    bytes.removeAll(keepingCapacity: true)
    isEmpty = true
  }

  private mutating func begin() {
    if !isEmpty { bytes.append(delimiter) }
    isEmpty = false
  }

  private func needsQuotes(_ byte: UInt8) -> Bool {
    byte == Self.quote || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n")
      || byte == delimiter
  }
}

extension UInt8 {
  /// Whether this is a letter or a digit of ASCII.
  fileprivate var isPlain: Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
  }
}
