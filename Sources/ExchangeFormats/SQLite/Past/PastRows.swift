import KVBytes
import KVModel

/// A row of a table that is not in the table any more, or no longer as it was.
struct PastRow {
  /// The contents of the wanted columns.
  let cells: [SQLiteCell]
  /// The bytes of the row's cell.
  let extent: Extent
  /// The number of the page.
  let page: Int
  /// The place of the image of the page.
  let image: PageImage.Place
  /// Where the row was found.
  let area: PastArea
  /// Whether the row is in a page's own list of cells, and not among bytes that are free.
  let isListed: Bool
  /// Whether the row is listed in a page of the table today: if SQLite follows the table to its end, it
  /// is no former one.
  let isOwn: Bool
  /// Whether the row is one of the table if SQLite cannot follow the table to its end: it is listed in
  /// a page of the table, or in one of which nothing shows the use.
  let isCutOff: Bool
  /// The overflow pages with the rest of the values.
  let overflow: [PageImage.Place]
}

/// Finds the rows of a table that SQLite does not read: in free pages and in free parts of pages, in
/// earlier images of pages, and in pages that damage separated from their table.
///
/// SQLite overwrites at most the first four bytes of what it frees, until it needs the room. What
/// overwrites a cell is another cell, so if one begins within what looks like a cell, the latter is
/// not whole. So free bytes are read from their end to their start, and a cell has to end before
/// the next one begins.
struct PastRows {
  private let pages: PageSet
  private let owners: PageOwners
  private let shape: RowShape
  /// The root page of the table, if it is known.
  private let root: Int?
  /// Whether a page to which nothing leads is taken for one of the table.
  private let takesLostPages: Bool
  /// The number of bytes of values that may still be read, which damage could make endless.
  private var budget: Int
  /// Offsets in the page that is being read at which a cell or a freeblock began or ended.
  private var edges: Set<Int> = []
  /// The overflow pages of the row that was read last.
  private var overflow: [PageImage.Place] = []
  /// The rows found, in the order of the files.
  private(set) var rows: [PastRow] = []

  /// Creates a search for rows of `shape` in `pages`; `root` is the first page of the table, if it is
  /// known.
  init(
    _ pages: PageSet, _ owners: PageOwners, _ shape: RowShape, root: Int?,
    takesLostPages: Bool = false
  ) {
    self.takesLostPages = takesLostPages
    self.pages = pages
    self.owners = owners
    self.shape = shape
    self.root = root
    budget = pages.images.reduce(1 << 20) { $0 + 4 * $1.count }
  }

  /// Reads all images of pages.
  mutating func readAll() {
    for position in pages.images.indices { read(position) }
  }

  /// Reads the rows in the image at `position`, unless its page belongs to another table.
  mutating func read(_ position: Int) {
    let page = pages.images[position]
    let owner = owners.owners[page.number]
    let tree = TreePage(page)
    if case .tree(let other) = owner, let root, other != root, let own = pages.current[page.number],
      TreePage(pages.images[own])?.isIndex == shape.isIndex,
      tree.map({ $0.isIndex == shape.isIndex }) ?? true
    {
      return
    }
    edges = [page.count]
    let reader = CellReader(page: page, shape: shape, childCount: 0, mayBeFreed: true)
    if case .overflow(let count) = owner, isCurrent(page) {
      return scan(count..<page.count, reader, area(owner, page, .unallocated))
    }
    guard let tree else {
      return scan(page.header..<page.count, reader, area(owner, page, .unallocated))
    }
    read(page, tree, owner)
  }

  private func isCurrent(_ page: PageImage) -> Bool {
    pages.current[page.number].map { pages.images[$0].place == page.place } ?? false
  }

  private mutating func read(_ page: PageImage, _ tree: TreePage, _ owner: PageOwners.Owner?) {
    let isOwn = tree.isIndex == shape.isIndex && (tree.isLeaf || tree.isIndex)
    let reader = CellReader(
      page: page, shape: shape, childCount: isOwn && !tree.isLeaf ? 4 : 0, mayBeFreed: isOwn)
    if isOwn {
      let isKnown = root.map { owner == .tree(root: $0) } ?? false
      let count = tree.cells.count {
        reader.cell(at: $0, before: page.count, isStrict: !isKnown) != nil
      }
      // Otherwise these are cells of another table.
      guard count * 2 >= tree.cells.count else { return }
      for offset in tree.cells {
        if let cell = reader.cell(at: offset, before: page.count, isStrict: false) {
          add(cell, page, area(owner, page, .cell))
        }
      }
    }
    let taken =
      tree.cells.map { cell in
        cell..<min(page.count, cell + (CellReader.extent(of: cell, in: tree, page)?.count ?? 4))
      } + [0..<min(tree.pointerEnd, page.count)] + tree.freeblocks
    edges.formUnion(taken.flatMap { [$0.lowerBound, $0.upperBound] })
    for region in Self.gaps(between: taken, to: page.count).reversed() {
      scan(region, reader, area(owner, page, .unallocated))
    }
    for block in tree.freeblocks {
      scan(block, reader, area(owner, page, .freeblock), isFreeblock: true)
    }
  }

  /// Returns the ranges from 0 to `end` that are not in one of `taken`.
  private static func gaps(between taken: [Range<Int>], to end: Int) -> [Range<Int>] {
    var gaps: [Range<Int>] = []
    var start = 0
    for range in taken.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if range.lowerBound > start { gaps.append(start..<range.lowerBound) }
      start = max(start, range.upperBound)
    }
    if start < end { gaps.append(start..<end) }
    return gaps
  }

  private func area(_ owner: PageOwners.Owner?, _ page: PageImage, _ own: PastArea) -> PastArea {
    switch page.source {
    case .frame: .frame
    case .journal: .journal
    case .database:
      switch owner {
      case .tree: own
      case nil where own == .cell: .lostPage
      default: .freePage
      }
    }
  }

  // MARK: Free bytes

  private mutating func scan(
    _ region: Range<Int>, _ reader: CellReader, _ area: PastArea, isFreeblock: Bool = false
  ) {
    if isFreeblock, addWhole(region, reader, area) { return }
    var limit = region.upperBound
    var offset = limit - CellReader.freeblockHeaderCount
    while offset >= region.lowerBound {
      let isFreed = isFreeblock && offset == region.lowerBound
      if let cell = self.cell(at: offset, before: limit, reader, isFreed: isFreed),
        let contents = self.contents(of: cell, reader.page, isStrict: true)
      {
        if let contents { add(contents, cell, reader.page, area, isListed: false) }
        edges.insert(cell.range.upperBound)
      } else if !reader.mayBeFreed || !wasFreed(at: offset, of: reader.page) {
        offset -= 1
        continue
      }
      edges.insert(offset)
      limit = offset
      offset -= CellReader.freeblockHeaderCount
    }
  }

  /// Adds the row whose cell was all of `block`, if it continues on overflow pages, and returns whether
  /// there is one: the number of its first overflow page, at its end, can look like a freeblock there.
  private mutating func addWhole(
    _ block: Range<Int>, _ reader: CellReader, _ area: PastArea
  ) -> Bool {
    guard reader.mayBeFreed,
      let cell = reader.freedCell(at: block.lowerBound, before: block.upperBound),
      cell.overflow != nil,
      block.upperBound - cell.range.upperBound < CellReader.freeblockHeaderCount,
      case .some(.some(let contents)) = contents(of: cell, reader.page, isStrict: true)
    else { return false }
    add(contents, cell, reader.page, area, isListed: false)
    return true
  }

  /// Returns the cell at `offset` that ends at `limit` or before, whole or without its first bytes.
  private func cell(
    at offset: Int, before limit: Int, _ reader: CellReader, isFreed: Bool
  ) -> FoundCell? {
    if !isFreed, let cell = reader.cell(at: offset, before: limit, isStrict: true) { return cell }
    return reader.mayBeFreed && (isFreed || wasFreed(at: offset, of: reader.page))
      ? reader.freedCell(at: offset, before: limit) : nil
  }

  /// Returns whether a freeblock began at `offset` of `page`: it has the offset of a later one and
  /// its own size, even if the room was used again.
  private func wasFreed(at offset: Int, of page: PageImage) -> Bool {
    let next = page.integer(offset, count: 2)
    let size = page.integer(offset + 2, count: 2)
    return size >= CellReader.freeblockHeaderCount && edges.contains(offset + size)
      && (next == 0 || next >= offset + size)
      && next <= page.count - CellReader.freeblockHeaderCount
  }

  // MARK: Contents

  private mutating func add(_ cell: FoundCell, _ page: PageImage, _ area: PastArea) {
    guard case .some(.some(let contents)) = contents(of: cell, page, isStrict: false) else {
      return
    }
    add(contents, cell, page, area, isListed: true)
  }

  private mutating func add(
    _ contents: [SQLiteCell], _ cell: FoundCell, _ page: PageImage, _ area: PastArea,
    isListed: Bool
  ) {
    let range = page.start + cell.range.lowerBound..<page.start + cell.range.upperBound
    let isListedToday = isListed && isCurrent(page)
    rows.append(
      PastRow(
        cells: contents, extent: Extent(page.file, range), page: page.number,
        image: page.place, area: area,
        isListed: isListed,
        isOwn: isListedToday && root.map { owners.owners[page.number] == .tree(root: $0) } ?? false,
        isCutOff: isListedToday && mayBeOwn(page.number),
        overflow: overflow))
  }

  /// Returns the contents of the wanted columns of `cell`.
  ///
  /// The inner value is `nil` if a part of them is not there. The outer value is `nil` if the bytes
  /// are none that an app would have stored, with `isStrict`.
  private mutating func contents(
    of cell: FoundCell, _ page: PageImage, isStrict: Bool
  ) -> [SQLiteCell]?? {
    overflow = []
    guard cell.body.count <= budget else { return .some(nil) }
    var body = page.bytes(in: cell.body)
    let isWhole =
      cell.overflow == nil || addOverflow(of: cell, page, isListed: !isStrict, to: &body)
    budget -= body.count
    guard isWhole else { return isStrict && !hasPlainStart(cell, body) ? nil : .some(nil) }
    var contents: [SQLiteCell] = []
    var start = 0
    for type in cell.types {
      let count = SerialType.count(type) ?? 0
      let content = content(type, body[start..<start + count])
      if isStrict, !content.isPlain { return nil }
      contents.append(content)
      start += count
    }
    // No app has an empty key, but remains of other cells look like one.
    if isStrict, let key = shape.wanted.first, contents[key].key?.bytes.isEmpty ?? false {
      return nil
    }
    let wanted = shape.wanted.map { position -> SQLiteCell? in
      if shape.columns[position].isRowID { return cell.rowID.map { .integer(Int64($0)) } }
      let content =
        position < contents.count ? contents[position] : shape.columns[position].standard
      guard shape.columns[position].affinity == .real, case .integer(let number) = content else {
        return content
      }
      return .real(Double(number))
    }
    return .some(wanted.contains(nil) ? nil : wanted.compactMap { $0 })
  }

  /// Returns whether the texts of `cell` in the bytes `body`, the start of its values, are plain.
  private func hasPlainStart(_ cell: FoundCell, _ body: [UInt8]) -> Bool {
    var start = 0
    for type in cell.types {
      let count = SerialType.count(type) ?? 0
      guard start + count <= body.count else { return true }
      if !content(type, body[start..<start + count]).isPlain { return false }
      start += count
    }
    return true
  }

  private func content(_ type: Int, _ bytes: ArraySlice<UInt8>) -> SQLiteCell {
    switch type {
    case 0: .null
    case 8: .integer(0)
    case 9: .integer(1)
    case 7:
      .real(Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }))
    case 1...6:
      .integer(
        bytes.reduce((bytes.first ?? 0) >= 0x80 ? -1 : 0) { $0 << 8 | Int64($1) })
    case let type where type % 2 == 0: .blob(Array(bytes))
    default: pages.encoding.cell(Array(bytes))
    }
  }

  /// Adds the rest of the values of `cell` to `body`, and returns whether all of it was there.
  private mutating func addOverflow(
    of cell: FoundCell, _ page: PageImage, isListed: Bool, to body: inout [UInt8]
  ) -> Bool {
    guard cell.bodyCount <= budget else { return false }
    let mayBeInUse = isListed && isCurrent(page)
    var next = cell.overflow ?? 0
    while body.count < cell.bodyCount {
      guard let image = pages.image(next, with: page), mayBeInUse || !isInUse(image) else {
        return false
      }
      let count = min(cell.bodyCount - body.count, image.count - 4)
      body += image.bytes(in: 4..<4 + count)
      overflow.append(image.place)
      next = image.integer(0, count: 4)
    }
    return next == 0
  }

  /// Returns whether the page is of the table, or is taken for one of its pages.
  private func mayBeOwn(_ number: Int) -> Bool {
    switch owners.owners[number] {
    case .tree(let other): other == root
    case nil: takesLostPages
    case .overflow, .free, .trunk: false
    }
  }

  /// Returns whether `page` is used for something else than a row that was removed.
  private func isInUse(_ page: PageImage) -> Bool {
    guard isCurrent(page) else { return false }
    return switch owners.owners[page.number] {
    case .tree, .overflow, .trunk: true
    case .free, nil: false
    }
  }
}

extension SQLiteCell {
  /// Whether the content is not a text with characters that no app writes, but remains of other
  /// cells have.
  fileprivate var isPlain: Bool {
    switch self {
    case .malformedText: false
    case .text(let text):
      !text.utf8.contains { $0 < 0x20 && $0 != 0x09 && $0 != 0x0a && $0 != 0x0d }
    case .null, .integer, .real, .blob: true
    }
  }
}
