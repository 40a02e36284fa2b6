import ExchangeFormats
import KVBytes
import KVModel

/// A table of a report, as forms write it.
package struct ReportTable: Sendable {
  /// The content of a column.
  enum Content: Sendable, Equatable {
    /// The number of the row.
    case id
    /// The number of a row of the table with this name.
    case row(of: String)
    case integer, real, text, bytes
    /// A number, a text or bytes, depending on the column with the type.
    case value
    /// A time in seconds since 1970; the next column has the same time in ISO 8601.
    case time
  }

  /// A column of a table.
  package struct Column: Sendable {
    /// The name of the column.
    package let name: String
    /// The content of the column.
    let content: Content
    /// The meaning of the column, for people to read.
    let meaning: String
    /// The name in documents that have namespaces; made once, as it is written for each cell.
    let property: String
  }

  /// The name of the table.
  package let name: String
  /// What a row is, for people to read.
  package let meaning: String
  /// The columns.
  package let columns: [Column]
}

/// A table whose rows are made of values of type `Source`.
struct SourceTable<Source>: Sendable {
  let table: ReportTable
  private let contents: [@Sendable (Source) -> SQLiteCell]

  init(_ name: String, _ meaning: String, _ columns: [SourceColumn<Source>]) {
    table = ReportTable(name: name, meaning: meaning, columns: columns.map(\.column))
    contents = columns.map(\.cell)
  }

  /// Returns the cells of the row of `source`.
  func cells(of source: Source) -> [SQLiteCell] { contents.map { $0(source) } }
}

/// A column, with the content that a row has in it.
struct SourceColumn<Source>: Sendable {
  let column: ReportTable.Column
  let cell: @Sendable (Source) -> SQLiteCell

  private init(
    _ name: String, _ content: ReportTable.Content, _ meaning: String,
    _ cell: @escaping @Sendable (Source) -> SQLiteCell
  ) {
    column = ReportTable.Column(
      name: name, content: content, meaning: meaning, property: "kvfsck:\(name)")
    self.cell = cell
  }

  /// A column with the number of the row.
  static func id(
    _ meaning: String = "its number", _ number: @escaping @Sendable (Source) -> Int64
  ) -> Self {
    Self("id", .id, meaning) { .integer(number($0)) }
  }

  /// A column with the number of a row of another table.
  static func row(
    _ name: String, of table: String, _ meaning: String,
    _ number: @escaping @Sendable (Source) -> Int64?
  ) -> Self {
    Self(name, .row(of: table), meaning) { number($0).map { .integer($0) } ?? .null }
  }

  /// A column with an integer.
  static func integer(
    _ name: String, _ meaning: String, _ number: @escaping @Sendable (Source) -> Int?
  ) -> Self {
    Self(name, .integer, meaning) { number($0).map { .integer(Int64($0)) } ?? .null }
  }

  /// A column with a number.
  static func real(
    _ name: String, _ meaning: String, _ number: @escaping @Sendable (Source) -> Double?
  ) -> Self {
    Self(name, .real, meaning) { number($0).map { .real($0) } ?? .null }
  }

  /// A column with a text.
  static func text(
    _ name: String, _ meaning: String, _ text: @escaping @Sendable (Source) -> String?
  ) -> Self {
    Self(name, .text, meaning) { text($0).map { .text($0) } ?? .null }
  }

  /// A column with names separated by spaces; NULL if there are none.
  static func words(
    _ name: String, _ meaning: String, _ words: @escaping @Sendable (Source) -> [String]
  ) -> Self {
    text(name, meaning) {
      let words = words($0)
      return words.isEmpty ? nil : words.joined(separator: " ")
    }
  }

  /// A column with bytes.
  static func bytes(
    _ name: String, _ meaning: String, _ bytes: @escaping @Sendable (Source) -> [UInt8]?
  ) -> Self {
    Self(name, .bytes, meaning) { bytes($0).map { .blob($0) } ?? .null }
  }

  /// A column with a value: a number, a text or bytes if SQLite has such a type, otherwise JSON.
  static func value(
    _ name: String, _ meaning: String, _ value: @escaping @Sendable (Source) -> Value?
  ) -> Self {
    Self(name, .value, meaning) { value($0).map { SQLiteCell($0) } ?? .null }
  }

  /// A column with a time in seconds since 1970.
  static func unix(
    _ name: String, _ meaning: String, _ time: @escaping @Sendable (Source) -> CountedTime?
  ) -> Self {
    Self(name, .time, meaning) { source in
      guard let seconds = time(source)?.seconds, !seconds.isNaN else { return .null }
      return Int64(exactly: seconds).map { .integer($0) } ?? .real(seconds)
    }
  }

  /// A column with a time in ISO 8601.
  static func iso8601(
    _ name: String, _ meaning: String = "the same as ISO 8601",
    _ time: @escaping @Sendable (Source) -> CountedTime?
  ) -> Self {
    text(name, meaning) { time($0)?.text }
  }
}

extension SQLiteCell {
  /// The cell in a table of texts; bytes are in hexadecimal.
  var plainText: String? {
    switch self {
    case .null: nil
    case .integer(let number): "\(number)"
    case .real(let number): number.digits
    case .text(let text): text
    case .blob(let bytes), .malformedText(let bytes): Hexadecimal.text(bytes)
    }
  }

  /// Creates the cell for `value`.
  fileprivate init(_ value: Value) {
    switch value {
    case .bool(let bool): self = .integer(bool ? 1 : 0)
    case .int32(let number): self = .integer(Int64(number))
    case .uint32(let number): self = .integer(Int64(number))
    case .int64(let number): self = .integer(number)
    case .uint64(let number):
      self = Int64(exactly: number).map { .integer($0) } ?? .text(String(number))
    case .float(let number): self.init(Double(number))
    case .double(let number), .date(let number): self.init(number)
    case .string(let text), .json(let text): self = .text(text)
    case .bytes(let bytes), .raw(let bytes), .keyedArchive(_, let bytes), .object(_, let bytes):
      self = .blob(bytes)
    case .null: self = .null
    case .list, .set, .array, .dictionary: self = .text(TextReporter.text(of: value))
    }
  }

  /// Creates the cell for a number.
  ///
  /// SQLite stores NaN as NULL, and few programs read its infinities, so these are texts.
  private init(_ number: Double) {
    self =
      number.isFinite
      ? .real(number) : .text(number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity")
  }
}
