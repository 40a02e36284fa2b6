/// Text in the cells of files that spreadsheets open.
package enum SpreadsheetText {
  /// Returns `text` in a form that a spreadsheet displays instead of executing.
  ///
  /// Some spreadsheets ignore invisible characters at the start. They also treat full-width and
  /// small signs, and the mathematical minus sign, as the plain ones. A text that already begins with
  /// apostrophes before such a start gets another one, so that one can always be removed.
  package static func guarded(_ text: String) -> String {
    // Most strings begin with a letter or a digit.
    guard let byte = text.utf8.first, !byte.isPlain else { return text }
    let scalars = text.unicodeScalars.drop { $0 == "'" }
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

extension UInt8 {
  /// Whether the byte is an ASCII letter or digit.
  fileprivate var isPlain: Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
  }
}
