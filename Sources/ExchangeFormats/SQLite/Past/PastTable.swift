import KVBytes
import KVModel

/// Where a row was found that is no longer in its table.
enum PastArea: String {
  /// Among the cells of a page, which damage separated from its table.
  case cell
  /// Among the cells of a page to which nothing leads, not even the list of free pages.
  case lostPage = "lost-page"
  /// In the list of freed cells of a page.
  case freeblock
  /// In the other free bytes of a page.
  case unallocated
  /// In a page that belongs to no table or index.
  case freePage = "free-page"
  /// In a frame of the write-ahead log.
  case frame = "wal-frame"
  /// In the rollback journal.
  case journal
}

/// A table with a column of keys, whose former rows are looked for.
struct KeyValueTable: Sendable {
  /// The names that the table can have; the first that exists counts.
  let names: [String]
  /// The columns that make up an entry; the first has the key.
  let columns: [String]
  /// How the table is usually created, if the schema is lost.
  private let usual: Creation?

  /// How a table is created.
  struct Creation {
    /// The statement that creates it.
    let statement: String
    /// The version of the schema that an app gives the database.
    var version = 0
  }

  /// Creates a table with a column of keys and one of values.
  init(names: [String], key: String, value: String, usual: Creation? = nil) {
    self.init(names: names, columns: [key, value], usual: usual)
  }

  /// Creates a table with these columns.
  init(names: [String], columns: [String], usual: Creation?) {
    self.names = names
    self.columns = columns
    self.usual = usual
  }

  /// Returns the entries that `files` contain besides those of the rows `live`, each content once, in
  /// the order of the files.
  ///
  /// If `mayLackRows`, damage may have cut off rows of the table, which are not among `live`. `value`
  /// returns the value in the columns.
  func records(
    in files: [StoreFile], besides live: [[SQLiteCell]], mayLackRows: Bool,
    _ value: ([SQLiteCell]) -> Value?
  ) -> [PastRecord] {
    let keys = Set(live.compactMap { $0[0].plainKey })
    let names = files.roleNames
    let rows = rows(in: files, besides: live, mayLackRows: mayLackRows)
    let cutOff = Set(rows.filter { mayLackRows && $0.isCutOff }.compactMap { $0.cells[0].plainKey })
    return rows.compactMap { row in
      guard let key = row.cells[0].plainKey else { return nil }
      let value = value(row.cells)
      let isKept = keys.contains(key)
      // Without the value, nothing differs from what the key has now.
      if isKept, value == nil { return nil }
      return PastRecord(
        key: key, value: value,
        state: mayLackRows && row.isCutOff && !isKept
          ? .carved : isKept || cutOff.contains(key) ? .superseded : .removed,
        origin: EntryOrigin(
          row.isListed ? .structure : .guess, at: names.place(row.extent),
          // The last column has the value.
          raw: row.cells.last?.key?.bytes),
        page: row.page, area: row.area.rawValue)
    }
  }

  /// Returns the rows in `files`, of which the first is the database, other than `live`.
  private func rows(
    in files: [StoreFile], besides live: [[SQLiteCell]], mayLackRows: Bool
  ) -> [PastRow] {
    let files = files.read.filter { $0.role == .data || $0.role == .side }
    guard let pages = PageSet(files) else { return [] }
    let schema = SchemaRows(pages)
    guard let found = table(schema.current) ?? table(schema.past) ?? usualTable else { return [] }
    let owners = PageOwners(pages, roots: schema.roots)
    // A page to which nothing leads may be of any table with such columns.
    let isAlone = !schema.current.contains { other in
      other.sql != found.creation.statement
        && RowShape(other.sql, of: other.name, wanted: [])?.isLike(found.shape) ?? false
    }
    var search = PastRows(
      pages, owners, found.shape, root: found.root, takesLostPages: isAlone)
    search.readAll()
    var numbers: [[ExactCell]: Int] = [:]
    func number(_ cells: [SQLiteCell]) -> Int {
      let content = cells.prefix(columns.count).map(ExactCell.init)
      return numbers[content]
        ?? {
          numbers[content] = numbers.count
          return numbers.count - 1
        }()
    }
    var known = Set(live.map(number))
    // What a page lists is surer than what is among its free bytes, and most so in a page of today.
    let byTrust =
      search.rows.filter(\.isCutOff) + search.rows.filter { $0.isListed && !$0.isCutOff }
      + search.rows.filter { !$0.isListed }
    let rows = byTrust.map { (row: $0, number: number($0.cells)) }
    let shared = Self.sharedOverflow(of: rows)
    let kept = rows.filter {
      (mayLackRows || !$0.row.isOwn) && !$0.row.overflow.contains(where: shared.contains)
        && known.insert($0.number).inserted
    }.map(\.row)
    return kept.sorted {
      ($0.extent.file.number, $0.extent.offset) < ($1.extent.file.number, $1.extent.offset)
    }
  }

  /// Returns the overflow pages that several of `rows` have, with different contents: all but one of
  /// these are not whole, and nothing shows which.
  private static func sharedOverflow(
    of rows: [(row: PastRow, number: Int)]
  ) -> Set<PageImage.Place> {
    var numbers: [PageImage.Place: Int] = [:]
    var shared: Set<PageImage.Place> = []
    for (row, number) in rows {
      for place in row.overflow
      where numbers.updateValue(number, forKey: place) ?? number != number {
        shared.insert(place)
      }
    }
    return shared
  }

  /// Returns how the table of the database with `files` is created, if that is known.
  func creation(in files: [StoreFile]) -> Creation? {
    guard let pages = PageSet(files.read) else { return usual }
    return table(SchemaRows(pages).past)?.creation ?? usual
  }

  /// The shape of the table, the page on which it begins today, and how it is created.
  private typealias Found = (shape: RowShape, root: Int?, creation: Creation)

  /// Returns what is known of the table, if it is among `rows`.
  private func table(_ rows: [SchemaRows.Row]) -> Found? {
    for name in names {
      for row in rows where SQLiteFiles.isSameName(row.name, name) {
        let creation = Creation(statement: row.sql, version: usual?.version ?? 0)
        if let found = found(creation, of: name, root: row.root) { return found }
      }
    }
    return nil
  }

  private var usualTable: Found? {
    usual.flatMap { usual in
      names.lazy.compactMap { found(usual, of: $0, root: nil) }.first
    }
  }

  private func found(_ creation: Creation, of name: String, root: Int?) -> Found? {
    RowShape(creation.statement, of: name, wanted: columns).map { ($0, root, creation) }
  }
}

/// The tables of a database, as far as its pages list them.
struct SchemaRows {
  /// A table; `root` is the page on which it begins, if it exists today.
  struct Row {
    let name: String
    let sql: String
    let root: Int?
  }

  /// The tables that exist today.
  let current: [Row]
  /// The first pages of all tables and indexes, and that of the schema itself.
  let roots: [Int]
  private let pages: PageSet
  private let owners: PageOwners

  /// Reads the schema of the database with `pages`.
  init(_ pages: PageSet) {
    self.pages = pages
    let owners = PageOwners(pages, roots: [1])
    self.owners = owners
    var search = PastRows(pages, owners, .schema, root: 1)
    for position in pages.current.values.sorted()
    where owners.owners[pages.images[position].number] == .tree(root: 1) {
      search.read(position)
    }
    let rows = search.rows.filter(\.isListed)
    roots =
      [1]
      + rows.compactMap { $0.cells[3].integer.flatMap { Int(exactly: $0) } }
      .filter { $0 > 0 }
    current = rows.compactMap { Self.table($0, isCurrent: true) }
  }

  /// The tables in all pages.
  var past: [Row] {
    var search = PastRows(pages, owners, .schema, root: nil)
    search.readAll()
    return search.rows.compactMap { Self.table($0, isCurrent: false) }
  }

  private static func table(_ row: PastRow, isCurrent: Bool) -> Row? {
    guard row.cells[0] == .text("table"), let name = row.cells[1].text, let sql = row.cells[4].text
    else { return nil }
    let root = row.cells[3].integer.flatMap { Int(exactly: $0) }
    return Row(name: name, sql: sql, root: isCurrent ? root : nil)
  }
}

/// The content of a column, compared byte by byte, and hashed faster than an array.
///
/// It is not copied: rows may share it.
private enum ExactCell: Hashable {
  case text(ByteText)
  case malformedText(Key)
  case blob(Key)
  case other(SQLiteCell)

  init(_ cell: SQLiteCell) {
    self =
      switch cell {
      case .text(let text): .text(ByteText(text))
      case .malformedText(let bytes): .malformedText(Key(bytes))
      case .blob(let bytes): .blob(Key(bytes))
      case .null, .integer, .real: .other(cell)
      }
  }

  /// The number of bytes that are hashed: a file has few longer contents, apart from those shared.
  private static let hashedCount = 4096

  func hash(into hasher: inout Hasher) {
    func add(_ bytes: Span<UInt8>) {
      hasher.combine(bytes.count)
      bytes.extracting(0..<min(Self.hashedCount, bytes.count)).hash(into: &hasher)
    }
    switch self {
    case .text(let text): text.text.withBytes(add)
    case .malformedText(let key), .blob(let key): add(key.bytes.storageSpan)
    case .other(let cell): hasher.combine(cell)
    }
  }
}
