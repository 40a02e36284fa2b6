/// What a row takes, in bytes.
struct RowSize {
  /// What the file stores of it.
  var stored = 0
  /// What SQLite makes of it, because the row does not store it.
  var computed = 0
  /// What of that takes memory of its own.
  var held = 0
}

/// A walk through the rows of a table, from both ends of damage.
///
/// A table is sorted by row id, so that the rows after damage are read from the last one backward.
struct RowWalk {
  /// Takes the statement at a row, and whether a row may not store the content of each column;
  /// returns the size of the row.
  typealias Body = (borrowing SQLiteStatement, _ areComputed: [Bool]) throws -> RowSize

  private let table: DatabaseReading.Table
  private let areComputed: [Bool]
  /// The maximum number of bytes that rows store before the walk ends.
  private let budget: Int
  /// The number of rows so far.
  private(set) var count = 0
  /// Whether the rows store more bytes than the budget.
  private(set) var isOverBudget = false
  /// Whether the walk ended because of what the rows do not store: ``heldLimit`` or ``computedLimit``.
  private(set) var isOverLimit = false
  private var size = RowSize()
  /// The id of the last row of the way forward; `nil` if rows have no ids.
  private var lastID: Int64?

  init(of table: DatabaseReading.Table, computed areComputed: [Bool], budget: Int) {
    self.table = table
    self.areComputed = areComputed
    self.budget = budget
  }

  /// The maximum number of bytes that are not stored and that the rows hold in memory.
  private var heldLimit: Int { 16 * budget + 16 << 20 }
  /// The maximum number of bytes that SQLite makes and that are not stored.
  private static let computedLimit = 1 << 29

  /// Passes each row to `body`, from the first row on.
  ///
  /// - Throws: An error if SQLite cannot continue.
  mutating func forward(
    in database: borrowing SQLiteConnection, _ body: Body
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
    in database: borrowing SQLiteConnection, _ body: Body
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
    _ rows: borrowing SQLiteStatement, _ body: Body
  ) throws -> Bool {
    // A row takes at least four bytes: a pointer and a cell.
    let row = try body(rows, areComputed)
    count += 1
    size.stored += row.stored + 4
    size.computed += row.computed
    size.held += row.held
    isOverBudget = size.stored > budget
    isOverLimit = size.held > heldLimit || size.computed > Self.computedLimit
    return !isOverBudget && !isOverLimit
  }

  /// Returns the query for all rows, with their ids as the last column if asked for.
  private func query(withIDs: Bool) -> String {
    let columns = table.columns.map(SQLiteFiles.quoted) + (withIDs ? ["rowid"] : [])
    return """
      SELECT \(columns.joined(separator: ", ")) FROM \(SQLiteFiles.quoted(table.name)) NOT INDEXED
      """
  }
}
