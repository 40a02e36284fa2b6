import KVBytes
import KVModel
import KVReport

/// Rows of named cells, which are printed as a table for people, or as one JSON object a row.
struct MeasuredTable {
  /// What a cell holds.
  enum Cell {
    case text(String)
    case texts([String])
    case count(Int)
    case counts([Int])
    /// Counts by the code of a finding.
    case codes([String: Int])
    /// A number from 0 to 1.
    case rate(Double)
    case flag(Bool)
    case none
  }

  /// The title, for people.
  let title: String
  /// The field `type` of the objects.
  let type: String
  /// The names of the cells.
  ///
  /// Cells of other rows have the same names, in the same order.
  let rows: [KeyValuePairs<String, Cell>]

  /// The title and the rows under their headings, with aligned columns; nothing if there are none.
  var textLines: [String] {
    guard let first = rows.first else { return [] }
    var columns = Columns(first.map { $0.key.uppercased().replacing("_", with: " ") })
    for row in rows { columns.add(row.map { TextReporter.printable($0.value.text) }) }
    return ["", title] + columns.lines.map { $0.trimmingSpaces() }
  }

  /// Each row as a JSON object.
  var jsonLines: [String] {
    rows.map { row in
      let members = row.map { Value.Member($0.key, $0.value.value) }
      // Strings, numbers and lists of them always have a JSON form.
      return Value.dictionary([Value.Member("type", .string(type))] + members).plainJSON ?? ""
    }
  }
}

extension MeasuredTable.Cell {
  fileprivate var text: String {
    switch self {
    case .text(let text): text
    case .texts(let texts): texts.isEmpty ? "none" : texts.joined(separator: " + ")
    case .count(let count): count.grouped
    case .counts(let counts): counts.map(\.grouped).joined(separator: " ")
    case .codes(let counts):
      counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    case .rate(let rate): Percentage.text(rate)
    case .flag(let isTrue): isTrue ? "yes" : "no"
    case .none: "none"
    }
  }

  fileprivate var value: Value {
    switch self {
    case .text(let text): .string(text)
    case .texts(let texts): .array(texts.map { .string($0) })
    case .count(let count): .int64(Int64(count))
    case .counts(let counts): .array(counts.map { .int64(Int64($0)) })
    case .codes(let counts):
      .dictionary(
        counts.sorted { $0.key < $1.key }.map { Value.Member($0.key, .int64(Int64($0.value))) })
    case .rate(let rate): .double(rate)
    case .flag(let isTrue): .bool(isTrue)
    case .none: .null
    }
  }
}
