import KVBytes
package import KVModel
package import KVSystem
package import SystemPackage

/// Rows for a spreadsheet, separated by commas (RFC 4180) or tabs.
///
/// The rows are only written, and not read. A string that a spreadsheet would execute as a formula
/// is prefixed with an apostrophe.
///
/// Reference: `Docs/CONVERSION.md` § CSV and TSV.
package protocol DelimitedFormat: EntryWriter {
  /// The separator between two fields.
  static var delimiter: Character { get }
}

extension DelimitedFormat {
  /// Whether readers can restore the types, which a column of each row states.
  package static var keepsTypes: Bool { true }
  /// Whether the format can store evidence, which it can.
  package static var keepsEvidence: Bool { true }

  private static var columns: [String] {
    [
      "key", "key_hex", "type", "value", "iso8601", "time_unit", "expires_at", "evidence",
      "cautions", "file", "offset", "length", "raw_hex",
    ]
  }

  /// Returns `entry` unchanged, because the rows are for people to read.
  package func fit(_ entry: TypedEntry) -> EntryFit { EntryFit(entry) }

  /// `true`.
  package var holdsAll: Bool { true }

  /// Writes a row with the names of the columns, then a row for each entry.
  ///
  /// For several stores, an additional column names the store.
  ///
  /// - Throws: `.file`, or an error from reading the source.
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
        if isMerged { row.add(SpreadsheetText.guarded(entry.origin.store?.string ?? "")) }
        row.end(in: stream)
      }
    }
  }

  private static func add(_ entry: TypedEntry, to row: inout DelimitedRow) {
    let time = entry.value.time
    row.add(SpreadsheetText.guarded(entry.key.text ?? ""))
    row.add(hexadecimal: entry.key.bytes)
    row.add(entry.value.kind.rawValue)
    switch entry.value {
    case .bytes(let bytes), .raw(let bytes), .keyedArchive(_, let bytes), .object(_, let bytes):
      row.add(hexadecimal: bytes)
    case .int32(let number): row.add(Int(number))
    case .int64(let number): row.add(Int(number))
    default: row.add(text(of: entry.value))
    }
    row.add(time?.text ?? "")
    row.add(time?.unit.name ?? "")
    row.add(entry.expiry == 0 ? nil : Int(entry.expiry))
    row.add(entry.origin.evidence.rawValue)
    row.add(entry.origin.cautions.map(\.rawValue).joined(separator: " "))
    row.add(entry.origin.place?.roleName ?? "")
    row.add(entry.origin.place?.extent.offset)
    row.add(entry.origin.place?.extent.count)
    row.add(hexadecimal: entry.origin.raw ?? [])
  }

  private static func text(of value: Value) -> String {
    switch value {
    case .string(let text), .json(let text): return SpreadsheetText.guarded(text)
    case .float(let number): return number.digits
    case .double(let number), .date(let number): return number.digits
    case .null: return ""
    default: break
    }
    if let text = value.plainJSON { return text }
    // Plain JSON has no NaN, and not two members of one name; typed JSON does.
    return ValueEnvelope(value).json
  }
}

/// A row that is assembled in UTF-8.
///
/// All rows reuse the same memory.
private struct DelimitedRow {
  private static let quote = UInt8(ascii: "\"")

  private let delimiter: UInt8
  private var bytes: [UInt8] = []
  /// Whether the next field is the first, even if earlier fields have no bytes.
  private var isEmpty = true

  /// Creates a row builder with the ASCII character `delimiter` between fields.
  init(_ delimiter: Character) { self.delimiter = delimiter.asciiValue ?? 0 }

  /// Adds a field, in quotation marks if necessary.
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

  /// Adds the digits of `number` as a field, which is empty if there is none.
  mutating func add(_ number: Int?) {
    begin()
    if let number { JSONBytes.append(number, to: &bytes) }
  }

  /// Adds the hexadecimal digits of `content` as a field.
  mutating func add(hexadecimal content: [UInt8]) {
    begin()
    Hexadecimal.append(content.storageSpan, to: &bytes)
  }

  /// Writes the row and its line end to `stream`, and starts the next row.
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
