/// A walk through the rows of a table, from both ends of damage.
///
/// A table is sorted by row id, so that the rows after damage are read from the last one backward.
struct RowWalk {
  private let table: DatabaseReading.Table
  /// The maximum number of bytes in rows before the walk ends.
  private let budget: Int
  /// The number of rows so far.
  private(set) var count = 0
  /// Whether the rows have more bytes than the budget.
  private(set) var isOverBudget = false
  private var byteCount = 0
  /// The id of the last row of the way forward; `nil` if rows have no ids.
  private var lastID: Int64?

  init(of table: DatabaseReading.Table, budget: Int) {
    self.table = table
    self.budget = budget
  }

  /// Passes each row to `body`, which returns the number of its bytes, from the first row on.
  ///
  /// - Throws: An error if SQLite cannot continue.
  mutating func forward(
    in database: borrowing SQLiteConnection, _ body: (borrowing SQLiteStatement) throws -> Int
  ) throws {
    let hasIDs = (try? database.statement(query(withIDs: true))) != nil
    let rows = try database.statement(query(withIDs: hasIDs))
    while try rows.next() {
      guard try pass(rows, body) else { return }
      if hasIDs, case .integer(let id) = try rows.content(table.columns.count) { lastID = id }
    }
  }

  /// Passes the rows to `body` from the last row back, until one that has been passed.
  ///
  /// - Throws: An error if SQLite cannot continue.
  mutating func backward(
    in database: borrowing SQLiteConnection, _ body: (borrowing SQLiteStatement) throws -> Int
  ) throws {
    let rows = try database.statement(query(withIDs: true) + " ORDER BY rowid DESC")
    while try rows.next() {
      guard case .integer(let id) = try rows.content(table.columns.count),
        lastID.map({ id > $0 }) ?? true, try pass(rows, body)
      else { return }
    }
  }

  /// Passes a row to `body`, and returns whether the walk may go on.
  private mutating func pass(
    _ rows: borrowing SQLiteStatement, _ body: (borrowing SQLiteStatement) throws -> Int
  ) throws -> Bool {
    // A row takes at least four bytes: a pointer and a cell.
    byteCount += try body(rows) + 4
    isOverBudget = byteCount > budget
    if !isOverBudget { count += 1 }
    return !isOverBudget
  }

  /// Returns the query for all rows, with their ids as the last column if asked for.
  private func query(withIDs: Bool) -> String {
    let columns = table.columns.map(SQLiteFiles.quoted) + (withIDs ? ["rowid"] : [])
    return """
      SELECT \(columns.joined(separator: ", ")) FROM \(SQLiteFiles.quoted(table.name)) NOT INDEXED
      """
  }
}
