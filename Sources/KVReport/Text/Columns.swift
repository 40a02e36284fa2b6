/// A table, its columns as wide as they need to be.
package struct Columns {
  private var rows: [[String]]

  /// A table with these headings.
  package init(_ headings: [String]) { rows = [headings] }

  /// Adds a row, which has as many cells as there are headings.
  package mutating func add(_ row: [String]) { rows.append(row) }

  /// The rows, headings first; the last column is not filled up.
  package var lines: [String] {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      row.enumerated().map { column, cell in
        column == row.count - 1
          ? cell : cell + String(repeating: " ", count: widths[column] - cell.count + 2)
      }.joined()
    }
  }
}
