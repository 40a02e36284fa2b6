/// How the records of a table store its columns.
///
/// SQLite itself interprets the statement that created the table.
struct RowShape {
  /// What a column prefers to store.
  enum Affinity: String {
    case text, integer, real, numeric, blob
    case none = ""

    /// Determines the affinity of a column with the declared type `type`.
    ///
    /// Reference: <https://www.sqlite.org/datatype3.html> § 3.1.
    init(of type: String) {
      let type = type.uppercased()
      func has(_ words: String...) -> Bool { words.contains { type.contains($0) } }
      self =
        if has("INT") {
          .integer
        } else if has("CHAR", "CLOB", "TEXT") {
          .text
        } else if has("BLOB") {
          .blob
        } else if type.isEmpty {
          .none
        } else if has("REAL", "FLOA", "DOUB") {
          .real
        } else {
          .numeric
        }
    }
  }

  /// A stored column.
  struct Column {
    let name: String
    let affinity: Affinity
    /// Whether the column cannot be NULL.
    let isRequired: Bool
    /// Whether the row ID is the column's value.
    let isRowID: Bool
    /// The content in a row from before the column was added, whose record ends before it.
    var standard = SQLiteCell.null

    /// Returns whether an ordinary app stores a value of the serial type `type` in the column.
    ///
    /// SQLite stores some values that do not have the declared type, but apps do not write them.
    func expects(_ type: Int) -> Bool {
      if isRowID { return type == 0 }
      if type == 0 { return !isRequired }
      let isText = type >= 13 && type % 2 == 1
      let isBlob = type >= 12 && type % 2 == 0
      return switch affinity {
      case .text: isText
      case .integer: (1...6).contains(type) || type == 8 || type == 9
      case .real: !isText && !isBlob
      case .numeric: !isBlob
      case .blob: isText || isBlob
      case .none: true
      }
    }

    /// Returns the only serial type that the column is expected to have for `count` bytes, or `nil`
    /// if there is none or more than one.
    func type(ofCount count: Int) -> Int? {
      let candidates = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12 + 2 * count, 13 + 2 * count]
        .filter { SerialType.count($0) == count && expects($0) }
      // A column without a type is taken as bytes if it has the length for nothing else.
      return candidates.count == 1 ? candidates[0] : nil
    }
  }

  /// The stored columns, in the order of the records.
  let columns: [Column]
  /// Whether the rows are in an index, because the table is one WITHOUT ROWID.
  let isIndex: Bool
  /// For each column that is wanted, its position among ``columns``.
  let wanted: [Int]

  /// The columns of `sqlite_schema`.
  static let schema = RowShape(
    columns: ["type", "name", "tbl_name", "rootpage", "sql"].map { name in
      Column(
        name: name, affinity: name == "rootpage" ? .integer : .text, isRequired: name != "sql",
        isRowID: false)
    },
    isIndex: false, wanted: [0, 1, 2, 3, 4])

  private init(columns: [Column], isIndex: Bool, wanted: [Int]) {
    self.columns = columns
    self.isIndex = isIndex
    self.wanted = wanted
  }

  /// Creates the shape of the table called `table` that the statement `sql` creates, from which the
  /// columns called `names` are wanted.
  ///
  /// Returns `nil` if the statement creates no such table.
  init?(_ sql: String, of table: String, wanted names: [String]) {
    guard sql.utf8.prefix(13).elementsEqual("CREATE TABLE ".utf8),
      let (name, columns, isIndex) = try? Self.columns(sql), SQLiteFiles.isSameName(name, table)
    else { return nil }
    func position(_ name: String) -> Int? {
      columns.firstIndex { SQLiteFiles.isSameName($0.name, name) }
    }
    let wanted = names.compactMap(position)
    guard wanted.count == names.count else { return nil }
    self.init(columns: columns, isIndex: isIndex, wanted: wanted)
  }

  /// Returns whether rows of `other` may be taken for rows of this shape.
  func isLike(_ other: RowShape) -> Bool {
    isIndex == other.isIndex && columns.map(\.affinity) == other.columns.map(\.affinity)
      && columns.map(\.isRowID) == other.columns.map(\.isRowID)
  }

  /// Returns the name and the stored columns of the table that `sql` creates, in an empty database in
  /// memory.
  private static func columns(
    _ sql: String
  ) throws(SQLiteError) -> (name: String, [Column], isIndex: Bool) {
    var database = try SQLiteConnection(":memory:", .new)
    database.limit(byteCount: 1 << 20, stepCount: 1_000_000)
    _ = try database.statement(sql).next()
    let name =
      try database.texts("SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'")
      .first ?? ""
    let isIndex = (try? database.texts("SELECT rowid FROM \(SQLiteFiles.quoted(name))")) == nil
    let rows = try database.statement(
      """
      SELECT name, type, pk, "notnull", dflt_value FROM pragma_table_xinfo(?) WHERE hidden IN (0, 3)
      ORDER BY \(isIndex ? "pk = 0, pk" : "cid"), cid
      """, [.text(name)])
    var found: [(name: String, type: String, key: Int64, isRequired: Bool, standard: String)] = []
    while try rows.next() {
      guard case .integer(let key) = try rows.content(2) else { continue }
      let isRequired = try rows.content(3) == .integer(1)
      found.append(
        (rows.text(0), rows.text(1), key, isRequired || isIndex && key > 0, rows.text(4)))
    }
    let hasSimpleKey = !isIndex && found.count { $0.key > 0 } == 1
    return (
      name,
      found.map {
        let isRowID = hasSimpleKey && $0.key == 1 && SQLiteFiles.isSameName($0.type, "INTEGER")
        let affinity = Affinity(of: $0.type)
        return Column(
          name: $0.name, affinity: affinity, isRequired: $0.isRequired, isRowID: isRowID,
          standard: (try? content(of: $0.standard, affinity)) ?? .null)
      }, isIndex
    )
  }

  /// Returns what a row has in a column with the default `text` that is added to its table.
  private static func content(
    of text: String, _ affinity: Affinity
  ) throws(SQLiteError) -> SQLiteCell {
    guard !text.isEmpty else { return .null }
    var database = try SQLiteConnection(":memory:", .new)
    database.limit(byteCount: 1 << 20, stepCount: 1_000_000)
    for sql in [
      "CREATE TABLE t(k)", "INSERT INTO t VALUES(0)",
      "ALTER TABLE t ADD COLUMN v \(affinity.rawValue) DEFAULT \(text)",
    ] {
      _ = try database.statement(sql).next()
    }
    let rows = try database.statement("SELECT v FROM t")
    guard try rows.next() else { return .null }
    return switch try rows.content(0) {
    case .null: .null
    case .integer(let number): .integer(number)
    case .real(let number): .real(number)
    case .text: .text(rows.text(0))
    case .blob(let bytes): .blob(bytes)
    }
  }
}

/// The numbers by which a record states the types and sizes of its values.
///
///     type     bytes          value
///     0        0              NULL
///     1…6      1 2 3 4 6 8    integer, big-endian
///     7        8              real, big-endian
///     8, 9     0              0, 1
///     n ≥ 12   (n − 12) / 2   blob if n is even, otherwise text
///
/// Reference: <https://www.sqlite.org/fileformat2.html> § 2.1.
enum SerialType {
  /// Returns the number of bytes of a value of `type`, or `nil` if there is no such type.
  static func count(_ type: Int) -> Int? {
    switch type {
    case 0, 8, 9: 0
    case 1...4: type
    case 5: 6
    case 6, 7: 8
    case 12...: (type - 12) / 2
    default: nil
    }
  }
}
