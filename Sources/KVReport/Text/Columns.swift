/// A table whose columns are as wide as their content.
package struct Columns {
  /// The least width, in characters, to which the last column is folded; if there is less room, it
  /// moves to its own lines.
  private static let least = 24

  private var rows: [[String]]

  /// Creates a table with these headings.
  package init(_ headings: [String]) { rows = [headings] }

  /// Adds a row, which must have as many cells as there are headings.
  package mutating func add(_ row: [String]) { rows.append(row) }

  /// The rows, headings first; the last column is not padded.
  package var lines: [String] { blocks(width: nil).map { $0[0] } }

  /// Returns the lines of each row, headings first, for a width of `width` characters.
  ///
  /// If the last column does not fit, it is folded or moved to its own lines.
  package func blocks(width: Int?) -> [[String]] {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    let margin = widths.dropLast().reduce(0) { $0 + $1 + 2 }
    return rows.map { row in
      let start = zip(row, widths).dropLast().map { cell, width in
        cell + String(repeating: " ", count: width - cell.count + 2)
      }.joined()
      let last = row[row.count - 1]
      guard let width, margin + last.count > width else { return [start + last] }
      if width - margin >= Self.least {
        let folded = FoldedText.lines(of: last, width: width - margin, margin: 0)
        if folded.allSatisfy({ $0.count <= width - margin }) {
          return [start + folded[0]]
            + folded.dropFirst().map { String(repeating: " ", count: margin) + $0 }
        }
      }
      return [start.trimmingSpaces()] + FoldedText.lines(of: "    " + last, width: width, margin: 0)
    }
  }
}

extension String {
  /// The string without spaces at its end.
  package func trimmingSpaces() -> String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
