/// A table, its columns as wide as they need to be.
package struct Columns {
  /// The fewest characters that the last column is folded to; with less, it goes to the next line.
  private static let least = 24

  private var rows: [[String]]

  /// A table with these headings.
  package init(_ headings: [String]) { rows = [headings] }

  /// Adds a row, which has as many cells as there are headings.
  package mutating func add(_ row: [String]) { rows.append(row) }

  /// The rows, headings first; the last column is not filled up.
  package var lines: [String] { blocks(width: nil).map { $0[0] } }

  /// The lines of each row, headings first, for lines of `width` characters: what does not fit of the last
  /// column is folded, or stands on lines of its own.
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
