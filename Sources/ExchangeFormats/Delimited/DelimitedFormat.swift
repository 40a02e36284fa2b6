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
      stream.write(Self.row(Self.columns + (isMerged ? ["store"] : [])))
      try source.forEachEntry { (entry) throws(ConversionError) in
        let store = entry.origin.store?.string ?? ""
        stream.write(Self.row(Self.fields(of: entry) + (isMerged ? [Self.guarded(store)] : [])))
      }
    }
  }

  private static func fields(of entry: TypedEntry) -> [String] {
    let extent = entry.origin.extent
    let time = entry.value.time
    return [
      guarded(entry.key.text ?? ""), Hexadecimal.text(entry.key.bytes), entry.value.kind.rawValue,
      text(of: entry.value), time?.text ?? "", time?.unit.name ?? "",
      entry.expiry == 0 ? "" : "\(entry.expiry)",
      entry.origin.evidence.rawValue,
      entry.origin.cautions.map(\.rawValue).joined(separator: " "),
      extent?.file.name ?? "", extent.map { "\($0.offset)" } ?? "",
      extent.map { "\($0.count)" } ?? "",
      entry.origin.raw.map { Hexadecimal.text($0) } ?? "",
    ]
  }

  private static func text(of value: Value) -> String {
    switch value {
    case .string(let text), .json(let text): guarded(text)
    case .bytes(let bytes), .raw(let bytes), .keyedArchive(_, let bytes), .object(_, let bytes):
      Hexadecimal.text(bytes)
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

  private static func row(_ fields: [String]) -> String {
    fields.map(quoted).joined(separator: String(delimiter)) + "\r\n"
  }

  private static func quoted(_ field: String) -> String {
    let needsQuotes = field.unicodeScalars.contains {
      $0 == "\"" || $0 == "\r" || $0 == "\n" || $0 == delimiter.unicodeScalars.first
    }
    guard needsQuotes else { return field }
    return "\"" + field.replacing(scalar: "\"", with: "\"\"") + "\""
  }
}
