import KVBytes
import KVModel
import KVRecovery

/// The list of keys, and the history of one key.
extension Viewer {
  /// The number of listed keys.
  var listCount: Int {
    filter.isOn ? filter.matches?.count ?? 0 : viewed.count(withOthers: showsOthers)
  }

  /// Returns the row of the key at `number` in the list.
  func listed(_ number: Int) -> Int { filter.isOn ? filter.matches?[number] ?? 0 : number }

  mutating func findMatches() {
    let viewed = viewed
    filter.find(among: viewed.count(withOthers: showsOthers)) {
      viewed.key(of: viewed.row($0)).bytes
    }
  }

  /// Returns the line of a key: its marks, its text and its value.
  func keyLine(_ row: ViewedState<S>.Row) -> ScreenLine {
    let assessment = viewed.assessment(of: row)
    let width = max(8, min(44, size.width * 2 / 5))
    let key = CellText.safe(DisplayText.key(viewed.key(of: row), limit: width), isFirst: true)
    let (shown, count) = CellText.prefix(of: key, width: width)
    var line = ScreenLine()
    line.add(mark(row, assessment), style(row, assessment))
    line.add(shown + String(repeating: " ", count: width - count + 1), style(row, assessment))
    line.add(viewed.value(of: row, detail), row.fate == .live ? .plain : .dim)
    return line
  }

  /// Returns the line of a record in a key's history: its offset, its fate and its value.
  func historyLine(_ row: ViewedState<S>.Row) -> ScreenLine {
    let assessment = viewed.assessment(of: row)
    let style = style(row, assessment)
    var line = ScreenLine(Hexadecimal.text(row.record.offset, digits: 6) + "  ", .dim)
    if size.width < 60 {
      line.add(mark(row, assessment), style)
    } else {
      line.add(
        padded(row.fate.rawValue, to: 11) + padded(assessment.evidence.rawValue, to: 10), style)
    }
    line.add(viewed.value(of: row, detail), row.fate == .live ? .plain : .dim)
    return line
  }

  /// Returns what there is to say about `row` in addition to its value.
  func note(on row: ViewedState<S>.Row) -> String {
    let assessment = viewed.assessment(of: row)
    let rules = assessment.rules.map(\.text).joined(separator: ", ")
    return "\(row.fate.rawValue), \(assessment.evidence.rawValue)"
      + (assessment.evidence == .checksum ? "" : assessment.probability.map { " \($0.text)" } ?? "")
      + assessment.cautions.map { ", \($0.rawValue)" }.joined()
      + ", at \(Hexadecimal.text(row.record.offset, digits: 6))"
      + (rules.isEmpty ? "" : ", by \(rules)")
  }

  /// Returns the marks that show a record's fate and its evidence.
  private func mark(_ row: ViewedState<S>.Row, _ assessment: Assessment) -> String {
    let fate =
      switch row.fate {
      case .live: " "
      case .superseded: "<"
      case .removed: "-"
      case .slack: "~"
      }
    let worth =
      switch assessment.evidence {
      // What counts as a guess is the least, even if it may also be damaged.
      case _ where assessment.isUnlikely: "?"
      case _ where isDamaged(row, assessment): "!"
      case .checksum: " "
      case .corrected: "+"
      case .structure: "*"
      case .guess: "?"
      }
    return fate + worth + " "
  }

  private func style(_ row: ViewedState<S>.Row, _ assessment: Assessment) -> ScreenStyle {
    if isDamaged(row, assessment) { return .color(.red) }
    if row.fate != .live { return .dim }
    return switch assessment.evidence {
    case .checksum: .plain
    case .corrected, .structure: .color(.yellow)
    case .guess: .color(.red)
    }
  }

  private func isDamaged(_ row: ViewedState<S>.Row, _ assessment: Assessment) -> Bool {
    row.record.integrity == .contradicted || assessment.cautions.contains(.mayBeDamaged)
  }

  private func padded(_ text: String, to count: Int) -> String {
    text + String(repeating: " ", count: max(0, count - text.count))
  }
}
