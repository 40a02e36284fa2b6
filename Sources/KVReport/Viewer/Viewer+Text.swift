import KVBytes
import KVConversion
import KVModel

/// The pages of text: a value, and the help.
extension Viewer {
  /// The most characters of a text, or bytes of data, that are shown.
  private static var longest: Int { 1 << 20 }

  /// Folds the text of the page to the width of the screen, unless that is already done.
  mutating func layText() {
    guard place.text?.width != size.width else { return }
    let lines: [ScreenLine]
    switch place.page {
    case .keys, .history, .bytes: return
    case .help: lines = Self.help
    case .value(let row): lines = valueLines(row)
    }
    let width = size.width
    let folded = lines.flatMap { line -> [ScreenLine] in
      guard line.spans.count == 1 else { return [line] }
      let text = CellText.safe(line.spans[0].text, isFirst: true)
      return CellText.wrapped(text, width: width).map { ScreenLine($0, line.spans[0].style) }
    }
    place.text = (folded, width)
  }

  private func valueLines(_ row: ViewedState<S>.Row) -> [ScreenLine] {
    var lines = [ScreenLine(note(on: row), .dim)]
    guard row.record.operation != .remove else {
      return lines + [ScreenLine(), ScreenLine("This record removes the key.")]
    }
    if let time = store.expiry(of: row.record), time != 0 {
      lines.append(ScreenLine("expires \(UTCDate(Double(time)).text)", .dim))
    }
    let readings = viewed.typing.readings(
      of: row.record, in: store, keeping: Self.longest)
    let first = readings[0]
    let total = first.count.map { ", the first of \($0.grouped)" } ?? ""
    lines += [ScreenLine(), ScreenLine("\(first.value.kind)\(total)", .title)]
    lines += contents(of: first, readings).map { ScreenLine($0) }
    if let document = detail.document(of: first, in: row.record, of: store) {
      lines += [ScreenLine(), ScreenLine("content: \(DisplayText.title(of: document))", .title)]
      lines += DisplayText.outline(of: document).map { ScreenLine($0) }
    }
    lines += [ScreenLine(), ScreenLine("all readings, likeliest first", .title)]
    for (number, reading) in readings.enumerated() {
      let reason = reading.reason.isEmpty ? "" : ": \(reading.reason)"
      lines.append(
        ScreenLine("\(number + 1)  \(DisplayText.value(reading))  (\(reading.likelihood)\(reason))")
      )
    }
    return lines
  }

  /// Returns the value of `reading`, the likeliest of `readings`, on as many lines as it takes.
  private func contents(of reading: Reading, _ readings: [Reading]) -> [String] {
    switch reading.value {
    case .string(let text), .json(let text):
      let isJSON = StoreTyping.likeliest(of: readings).contains { $0.value.kind == .json }
      return isJSON
        ? IndentedJSON.lines(of: text)
        : text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    case .bytes(let bytes), .raw(let bytes), .keyedArchive(_, let bytes), .object(_, let bytes):
      return stride(from: 0, to: bytes.count, by: 16).map {
        Hexadecimal.text(bytes[$0..<min($0 + 16, bytes.count)])
      }
    default:
      return IndentedJSON.lines(of: TextReporter.text(of: reading.value))
    }
  }

  private static var help: [ScreenLine] {
    func entries(_ title: String, _ rows: [(String, String)]) -> [ScreenLine] {
      [ScreenLine(title, .title)]
        + rows.map { key, text in
          ScreenLine("  " + key + String(repeating: " ", count: max(1, 13 - key.count)) + text)
        } + [ScreenLine()]
    }
    return entries(
      "everywhere",
      [
        ("arrows, j k", "move"), ("PgUp PgDn", "one screen up, down; also b and the space bar"),
        ("Home End", "first, last; also g and G"), ("n p", "next, previous key"),
        ("q Esc h", "back; q in the list of keys quits"), ("?", "this page"),
      ])
      + entries(
        "list of keys, records of a key",
        [
          ("Enter", "open the value; also right arrow and l"),
          ("r", "all records of the key, in file order; also beside a value"),
          ("x", "the bytes of the record in the file"),
        ])
      + entries(
        "list of keys",
        [
          ("/", "list only keys that contain a text; Esc lists all"),
          ("s", "the next recoverable state"),
          ("a", "also list keys that were removed or are only in older records"),
        ])
      + entries("bytes", [("Tab", "the next file of the store")])
      + entries(
        "marks before a key",
        [
          ("-", "removed"), ("<", "superseded"), ("~", "after the end of the log"),
          ("+", "verified after a correction"), ("*", "not verified by a checksum"),
          ("?", "a guess"), ("!", "may be damaged"),
        ])
  }
}

/// JSON over several lines, one element per line.
package enum IndentedJSON {
  /// The most levels that a line is indented.
  private static let deepest = 16

  /// Returns the lines of `text`; if it is not JSON, its characters other than white space stay the
  /// same.
  package static func lines(of text: String) -> [String] {
    var lines: [String] = []
    var line = ""
    var depth = 0
    var isString = false
    var isEscaped = false
    func fold() {
      if line.contains(where: { $0 != " " }) { lines.append(line) }
      line = String(repeating: "  ", count: min(max(depth, 0), deepest))
    }
    let scalars = Array(text.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      if isString {
        line.unicodeScalars.append(scalar)
        if scalar == "\"", !isEscaped { isString = false }
        isEscaped = scalar == "\\" && !isEscaped
        continue
      }
      switch scalar {
      case " ", "\n", "\r", "\t": break
      case "{", "[":
        line.unicodeScalars.append(scalar)
        depth += 1
        if index + 1 < scalars.count, !["}", "]"].contains(scalars[index + 1]) { fold() }
      case "}", "]":
        depth -= 1
        if index > 0, !["{", "["].contains(scalars[index - 1]) { fold() }
        line.unicodeScalars.append(scalar)
      case ",":
        line += ","
        fold()
      case ":": line += ": "
      default:
        isString = scalar == "\""
        line.unicodeScalars.append(scalar)
      }
    }
    return lines + [line]
  }
}
