import CSQLite
import KVBytes

extension SQLiteError {
  /// Creates the error of the last call for `handle`, which returned `code`.
  fileprivate init(_ code: Int32, of handle: OpaquePointer?) {
    let message = unsafe String(
      cString: handle == nil ? sqlite3_errstr(code) : sqlite3_errmsg(handle))
    self.init(
      code,
      code & 0xff == SQLITE_INTERRUPT
        ? "it was stopped, because it took more steps than a database of this size needs" : message)
    if unsafe handle != nil { systemError = unsafe sqlite3_system_errno(handle) }
  }
}

/// An open SQLite database, for use by one thread.
///
/// The database is closed with the connection. No view is opened, no trigger runs, no virtual table
/// is created, and no function with side effects is called.
///
/// Invariants: `handle` is from `sqlite3_open_v2` and open until `deinit`. SQLite itself keeps its
/// data until the last statement has ended. `steps` is allocated until `deinit`, which first
/// withdraws it from SQLite, and SQLite accesses it only within calls. Everything that SQLite
/// returns is copied before the next call. Everything that SQLite receives is copied by SQLite, or
/// used only within the call, or, for the cells of a statement that runs, until the run ends.
@safe struct SQLiteConnection: ~Copyable {
  /// How the file may be accessed.
  enum Access {
    /// The file is read and never locked, and SQLite looks for no files beside it.
    case immutable
    /// The file exists, and is read and written.
    case existing
    /// The file is created if it does not exist.
    case new
  }

  /// The number of virtual machine steps between two checks of the limit.
  private static let stepsAtOnce: Int32 = 10_000

  private let handle: OpaquePointer
  /// The number of step intervals that the last statement may still take.
  ///
  /// Not used without a limit.
  private let steps: UnsafeMutablePointer<Int>
  /// The number of step intervals that each statement may take.
  private var stepLimit = Int.max

  /// Opens the database at `path`, which is UTF-8.
  ///
  /// An existing database is not read before the first query.
  ///
  /// - Throws: An error if the database cannot be opened.
  init(_ path: String, _ access: Access) throws(SQLiteError) {
    let (name, flags) =
      switch access {
      case .immutable:
        ("file:\(Self.escaped(path))?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
      // If URIs are enabled by default, SQLite would interpret a path that begins with "file:".
      case .existing: (Self.plain(path), SQLITE_OPEN_READWRITE)
      case .new: (Self.plain(path), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
      }
    var opened: OpaquePointer?
    let status = unsafe sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
    guard status == SQLITE_OK, let handle = unsafe opened else {
      let error = unsafe SQLiteError(status, of: opened)
      unsafe sqlite3_close_v2(opened)
      throw error
    }
    unsafe self.handle = handle
    unsafe steps = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    unsafe steps.initialize(to: stepLimit)
    unsafe sqlite3_extended_result_codes(handle, 1)
    for option in [
      SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_ENABLE_TRIGGER,
      // SQLite would treat the name of a missing column as a string. The schema of a database that is
      // copied may depend on that, so a new one keeps it.
      SQLITE_DBCONFIG_DQS_DML, access == .new ? SQLITE_DBCONFIG_DQS_DML : SQLITE_DBCONFIG_DQS_DDL,
    ] {
      unsafe _ = kvfsck_sqlite3_switch(handle, option, 0)
    }
    // An untrusted schema may not use JSON functions, so SQLite would refuse every database that
    // has one in an index. It may never use functions with side effects.
    unsafe _ = kvfsck_sqlite3_switch(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1)
    unsafe sqlite3_drop_modules(handle, nil)
    allowUnknownCollations()
  }

  deinit {
    unsafe sqlite3_progress_handler(handle, 0, nil, nil)
    unsafe steps.deallocate()
    unsafe sqlite3_close_v2(handle)
  }

  /// Uses byte order for collations that only the app defines.
  ///
  /// Rows are read without them, but SQLite refuses a table with an unknown collation.
  private func allowUnknownCollations() {
    unsafe sqlite3_collation_needed(handle, nil) { _, handle, encoding, name in
      unsafe sqlite3_create_collation_v2(
        handle, name, encoding, nil,
        { _, oneCount, one, otherCount, other in
          let one = unsafe UnsafeRawBufferPointer(start: one, count: Int(oneCount))
          let other = unsafe UnsafeRawBufferPointer(start: other, count: Int(otherCount))
          if unsafe one.elementsEqual(other) { return 0 }
          return unsafe one.lexicographicallyPrecedes(other) ? -1 : 1
        }, nil)
    }
  }

  /// Limits values to `byteCount` bytes, and each statement to about `stepCount` virtual machine
  /// steps.
  ///
  /// A statement must end before the next one begins.
  ///
  /// - Precondition: Both limits are positive.
  mutating func limit(byteCount: Int, stepCount: Int) {
    precondition(byteCount > 0 && stepCount > 0)
    unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(clamping: byteCount))
    stepLimit = stepCount / Int(Self.stepsAtOnce)
    unsafe sqlite3_progress_handler(
      handle, Self.stepsAtOnce,
      { context in
        guard let steps = unsafe context?.assumingMemoryBound(to: Int.self) else { return 1 }
        unsafe steps.pointee -= 1
        return unsafe steps.pointee < 0 ? 1 : 0
      }, steps)
  }

  /// Runs all statements of `sql` and discards their rows.
  ///
  /// - Throws: An error if a statement fails. The statements after it are not run.
  func execute(_ sql: String) throws(SQLiteError) {
    unsafe steps.pointee = stepLimit
    let status = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard status == SQLITE_OK else { throw unsafe SQLiteError(status, of: handle) }
  }

  /// Returns the first statement of `sql`, with `cells` bound to its parameters.
  ///
  /// - Precondition: There is a statement, and it has as many parameters as there are cells.
  /// - Throws: An error if the statement is not valid, or names something that does not exist.
  func statement(
    _ sql: String, _ cells: [SQLiteCell] = []
  ) throws(SQLiteError) -> SQLiteStatement {
    unsafe steps.pointee = stepLimit
    var prepared: OpaquePointer?
    let status = unsafe sqlite3_prepare_v2(handle, sql, -1, &prepared, nil)
    guard status == SQLITE_OK else { throw unsafe SQLiteError(status, of: handle) }
    guard let prepared = unsafe prepared else { preconditionFailure("the text has no statement") }
    let statement = unsafe SQLiteStatement(taking: prepared)
    if !cells.isEmpty { try statement.bind(cells) }
    return statement
  }

  /// Returns the strings in the first column of the rows of `sql`.
  ///
  /// Invalid UTF-8 in them is replaced.
  ///
  /// - Throws: An error if SQLite does not reach the last row.
  func texts(_ sql: String, _ cells: [SQLiteCell] = []) throws(SQLiteError) -> [String] {
    let rows = try statement(sql, cells)
    var texts: [String] = []
    while try rows.next() { texts.append(rows.text(0)) }
    return texts
  }

  /// Returns the integers in the first column of the rows of `sql`.
  ///
  /// - Throws: An error if SQLite does not reach the last row.
  func integers(_ sql: String) throws(SQLiteError) -> [Int64] {
    let rows = try statement(sql)
    var integers: [Int64] = []
    while try rows.next() {
      if case .integer(let number) = try rows.content(0) { integers.append(number) }
    }
    return integers
  }

  private static func plain(_ path: String) -> String {
    path.hasPrefix("file:") ? "./" + path : path
  }

  private static func escaped(_ path: String) -> String {
    path.utf8.reduce(into: "") { text, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += "%" + Hexadecimal.text([byte])
      }
    }
  }
}

/// A prepared SQLite statement, which is finalized with its owner.
///
/// Invariant: `handle` is from `sqlite3_prepare_v2`, not null, and valid until `deinit`.
@safe struct SQLiteStatement: ~Copyable {
  /// The content of one column of a row.
  enum Content: Hashable {
    case null
    case integer(Int64)
    case real(Double)
    /// The bytes of a string, in the encoding of the database.
    case text([UInt8])
    case blob([UInt8])
  }

  private let handle: OpaquePointer

  fileprivate init(taking handle: OpaquePointer) { unsafe self.handle = handle }

  deinit { unsafe sqlite3_finalize(handle) }

  /// Runs the statement with `cells` bound to its parameters, and discards its rows.
  ///
  /// - Precondition: The statement has as many parameters as there are cells.
  /// - Throws: An error if the statement fails.
  func run(_ cells: [SQLiteCell]) throws(SQLiteError) {
    var row = SQLiteRow()
    for cell in cells { row.append(cell) }
    try run(row)
  }

  /// Runs the statement with the cells of `row` bound to its parameters, and discards its rows.
  ///
  /// SQLite makes no copy of their bytes, which would cost more than the rest of an insertion; after
  /// the run it has no reference to them.
  ///
  /// - Precondition: The statement has as many parameters as there are cells.
  /// - Throws: An error if the statement fails.
  func run(_ row: SQLiteRow) throws(SQLiteError) {
    precondition(row.cells.count == Int(unsafe sqlite3_bind_parameter_count(handle)))
    let failure = unsafe row.bytes.withUnsafeBytes { bytes -> SQLiteError? in
      // A reset returns the error of the last step, so that is read first.
      defer { unsafe _ = (sqlite3_reset(handle), sqlite3_clear_bindings(handle)) }
      var start = 0
      for index in row.cells.indices {
        let end = row.cells[index].end ?? start
        let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        let status = unsafe bind(row.cells[index], Int32(index + 1), part)
        guard status == SQLITE_OK else { return error(status) }
        start = end
      }
      var status = SQLITE_ROW
      while status == SQLITE_ROW { status = unsafe sqlite3_step(handle) }
      return status == SQLITE_DONE ? nil : error(status)
    }
    if let failure { throw failure }
  }

  /// Runs the statement with the columns of the current row of `row` bound to its parameters, exactly as
  /// they are stored, and discards its rows; `encoding` is that of the texts in both databases.
  ///
  /// - Precondition: `next` has returned `true` for `row`, which has at least as many columns as the
  ///   statement has parameters.
  /// - Returns: The size of the row; `areComputed` is whether it may not store the content of a column.
  /// - Throws: An error if the statement fails.
  func run(
    copying row: borrowing SQLiteStatement, in encoding: TextEncoding,
    computed areComputed: [Bool]
  ) throws(SQLiteError) -> RowSize {
    let count = unsafe sqlite3_bind_parameter_count(handle)
    precondition(count <= (unsafe sqlite3_data_count(row.handle)))
    defer { unsafe _ = (sqlite3_reset(handle), sqlite3_clear_bindings(handle)) }
    var size = RowSize()
    for index in 0..<count {
      var byteCount = 0
      var status = unsafe sqlite3_bind_value(
        handle, index + 1, sqlite3_column_value(row.handle, index))
      switch unsafe sqlite3_column_type(row.handle, index) {
      case SQLITE_TEXT:
        if let mark = encoding.mark {
          // SQLite takes a byte order mark off what it binds as UTF-16, so such a text gets another.
          let bytes = try row.bytes(index)
          byteCount += bytes.count
          if bytes.starts(with: mark) || bytes.starts(with: mark.reversed()) {
            status = bind(utf16: mark + bytes, index + 1)
          }
        } else {
          byteCount += Int(unsafe sqlite3_column_bytes(row.handle, index))
        }
      case SQLITE_BLOB: byteCount += Int(unsafe sqlite3_column_bytes(row.handle, index))
      default: break
      }
      guard status == SQLITE_OK else { throw error(status) }
      if areComputed.indices.contains(Int(index)), areComputed[Int(index)] {
        size.computed += byteCount
      } else {
        size.stored += byteCount
      }
    }
    var status = SQLITE_ROW
    while status == SQLITE_ROW { status = unsafe sqlite3_step(handle) }
    guard status == SQLITE_DONE else { throw error(status) }
    return size
  }

  /// Binds a copy of a text with a byte order mark, which SQLite takes off.
  private func bind(utf16 bytes: [UInt8], _ index: Int32) -> Int32 {
    unsafe bytes.withUnsafeBytes { bytes in
      let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      return unsafe sqlite3_bind_text64(
        handle, index, start, UInt64(bytes.count), kvfsck_sqlite3_copied(), UInt8(SQLITE_UTF16))
    }
  }

  /// Binds `cell`, whose bytes are `bytes`; they have to be valid until the binding is cleared.
  private func bind(
    _ cell: SQLiteRow.Cell, _ index: Int32, _ bytes: UnsafeRawBufferPointer
  ) -> Int32 {
    let count = UInt64(bytes.count)
    switch cell {
    case .null: return unsafe sqlite3_bind_null(handle, index)
    case .integer(let number): return unsafe sqlite3_bind_int64(handle, index, number)
    case .real(let number): return unsafe sqlite3_bind_double(handle, index, number)
    // SQLite would bind a null pointer, which the start of no bytes may be, as NULL.
    case .text where count == 0: return bind(.text(""), index)
    case .blob where count == 0: return bind(.blob([]), index)
    case .text:
      let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      return unsafe sqlite3_bind_text64(handle, index, start, count, nil, UInt8(SQLITE_UTF8))
    case .blob: return unsafe sqlite3_bind_blob64(handle, index, bytes.baseAddress, count, nil)
    }
  }

  /// Advances to the next row.
  ///
  /// - Returns: `true` if there is a row.
  /// - Throws: An error if SQLite cannot continue.
  func next() throws(SQLiteError) -> Bool {
    let status = unsafe sqlite3_step(handle)
    switch status {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw error(status)
    }
  }

  /// Returns the content of the column with this ordinal, which starts at 0.
  ///
  /// - Precondition: `next` has returned `true`, and the row has the column.
  /// - Throws: An error if there is not enough memory.
  func content(_ column: Int) throws(SQLiteError) -> Content {
    precondition(column >= 0 && column < Int(unsafe sqlite3_data_count(handle)))
    let index = Int32(column)
    switch unsafe sqlite3_column_type(handle, index) {
    case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(handle, index))
    case SQLITE_FLOAT: return .real(unsafe sqlite3_column_double(handle, index))
    // SQLite does not convert a string that is read as a blob.
    case SQLITE_TEXT: return .text(try bytes(index))
    case SQLITE_BLOB: return .blob(try bytes(index))
    default: return .null
    }
  }

  /// Returns the string in the column with this ordinal, which starts at 0.
  ///
  /// Invalid UTF-8 in it is replaced.
  ///
  /// - Precondition: `next` has returned `true`, and the row has the column.
  func text(_ column: Int) -> String {
    precondition(column >= 0 && column < Int(unsafe sqlite3_data_count(handle)))
    let index = Int32(column)
    guard let start = unsafe sqlite3_column_text(handle, index) else { return "" }
    let count = Int(unsafe sqlite3_column_bytes(handle, index))
    return unsafe String(
      decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  private func bytes(_ index: Int32) throws(SQLiteError) -> [UInt8] {
    let start = unsafe sqlite3_column_blob(handle, index)
    let count = Int(unsafe sqlite3_column_bytes(handle, index))
    if let start = unsafe start {
      return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }
    // The pointer is also null for an empty value.
    guard count == 0 else { throw error(SQLITE_NOMEM) }
    return []
  }

  fileprivate func bind(_ cells: [SQLiteCell]) throws(SQLiteError) {
    precondition(cells.count == Int(unsafe sqlite3_bind_parameter_count(handle)))
    for (ordinal, cell) in cells.enumerated() {
      let status = bind(cell, Int32(ordinal + 1))
      guard status == SQLITE_OK else { throw error(status) }
    }
  }

  private func bind(_ cell: SQLiteCell, _ index: Int32) -> Int32 {
    switch cell {
    case .null: return unsafe sqlite3_bind_null(handle, index)
    case .integer(let number): return unsafe sqlite3_bind_int64(handle, index, number)
    case .real(let number): return unsafe sqlite3_bind_double(handle, index, number)
    case .text(var text):
      // The length is bound too, because the string may continue after a U+0000.
      return text.withUTF8 { bytes in
        // The start of an empty string may be null, which SQLite would bind as NULL.
        guard let start = bytes.baseAddress else {
          return unsafe sqlite3_bind_text(handle, index, "", 0, kvfsck_sqlite3_copied())
        }
        return unsafe start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { start in
          unsafe sqlite3_bind_text64(
            handle, index, start, UInt64(bytes.count), kvfsck_sqlite3_copied(), UInt8(SQLITE_UTF8))
        }
      }
    case .malformedText(let bytes), .blob(let bytes):
      guard !bytes.isEmpty else { return unsafe sqlite3_bind_zeroblob(handle, index, 0) }
      return unsafe bytes.withUnsafeBytes { bytes in
        unsafe sqlite3_bind_blob64(
          handle, index, bytes.baseAddress, UInt64(bytes.count), kvfsck_sqlite3_copied())
      }
    }
  }

  private func error(_ status: Int32) -> SQLiteError {
    unsafe SQLiteError(status, of: sqlite3_db_handle(handle))
  }
}

/// The cells of a row that is inserted, with all their bytes in one piece of memory, which is used
/// again for the next row.
struct SQLiteRow {
  /// A cell, without its bytes; trivial, so that a row costs nothing but its bytes.
  fileprivate enum Cell {
    case null
    case integer(Int64)
    case real(Double)
    /// The bytes from the end of the cell with bytes before it up to this number.
    case text(end: Int)
    case blob(end: Int)

    var end: Int? {
      switch self {
      case .null, .integer, .real: nil
      case .text(let end), .blob(let end): end
      }
    }
  }

  fileprivate private(set) var cells: [Cell] = []
  fileprivate private(set) var bytes: [UInt8] = []

  /// Removes all cells.
  mutating func removeAll() {
    cells.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Appends an integer, or NULL.
  mutating func append(_ number: Int?) {
    cells.append(number.map { .integer(Int64($0)) } ?? .null)
  }

  /// Appends a text, or NULL.
  mutating func append(_ text: String?) {
    guard let text else { return cells.append(.null) }
    bytes.append(utf8Of: text)
    cells.append(.text(end: bytes.count))
  }

  /// Appends the text of which `utf8` are the bytes.
  mutating func append(utf8: [UInt8]) {
    bytes.append(contentsOf: utf8)
    cells.append(.text(end: bytes.count))
  }

  /// Appends a blob, or NULL.
  mutating func append(blob: [UInt8]?) {
    guard let blob else { return cells.append(.null) }
    bytes.append(contentsOf: blob)
    cells.append(.blob(end: bytes.count))
  }

  /// Appends a cell.
  mutating func append(_ cell: SQLiteCell) {
    switch cell {
    case .null: cells.append(.null)
    case .integer(let number): cells.append(.integer(number))
    case .real(let number): cells.append(.real(number))
    case .text(let text): append(text)
    case .malformedText(let bytes), .blob(let bytes): append(blob: bytes)
    }
  }
}
