/// What SQLite uses each page for: the trees of the tables and indexes, and the list of free pages.
struct PageOwners {
  /// The use of a page.
  enum Owner: Hashable {
    /// A page of the tree that begins on the page `root`.
    case tree(root: Int)
    /// An overflow page, of which the first `count` bytes are in use.
    case overflow(count: Int)
    /// A free page that still has all it had.
    case free
    /// A free page with a list of others.
    case trunk
  }

  /// The owners of the pages that have one.
  private(set) var owners: [Int: Owner] = [:]
  private let pages: PageSet

  /// Follows the trees that begin on the pages `roots`, and the list of free pages.
  ///
  /// - Complexity: O(*n*) in the bytes of all pages; each page is followed once.
  init(_ pages: PageSet, roots: [Int]) {
    self.pages = pages
    for root in roots { follow(root) }
    followFreeList()
  }

  private func image(_ number: Int) -> PageImage? { pages.current[number].map { pages.images[$0] } }

  private mutating func follow(_ root: Int) {
    var rest = [root]
    while let number = rest.popLast() {
      guard owners[number] == nil, let page = image(number), let tree = TreePage(page) else {
        continue
      }
      owners[number] = .tree(root: root)
      if !tree.isLeaf { rest.append(page.integer(page.header + 8, count: 4)) }
      for cell in tree.cells {
        if !tree.isLeaf { rest.append(page.integer(cell, count: 4)) }
        followOverflow(of: cell, tree, page)
      }
    }
  }

  private mutating func followOverflow(of cell: Int, _ tree: TreePage, _ page: PageImage) {
    guard let extent = CellReader.extent(of: cell, in: tree, page), var next = extent.overflow
    else {
      return
    }
    var left = extent.overflowCount
    while left > 0, owners[next] == nil, let page = image(next) {
      let count = min(left, page.count - 4)
      owners[next] = .overflow(count: 4 + count)
      left -= count
      next = page.integer(0, count: 4)
    }
  }

  /// A trunk has the number of the next trunk, a count, and the numbers of other free pages.
  private mutating func followFreeList() {
    guard let first = image(1), SQLiteFiles.isDatabase(first.image) || first.source != .database
    else { return }
    var next = first.integer(32, count: 4)
    while owners[next] == nil, let trunk = image(next) {
      owners[next] = .trunk
      let count = min(trunk.integer(4, count: 4), trunk.count / 4 - 2)
      for ordinal in 0..<count {
        let number = trunk.integer(8 + 4 * ordinal, count: 4)
        if owners[number] == nil { owners[number] = .free }
      }
      next = trunk.integer(0, count: 4)
    }
  }
}

extension CellReader {
  /// Returns the number of bytes of the cell at `offset` of `tree`, which is on `page`, and where its
  /// record continues; `nil` if the page is damaged.
  static func extent(
    of offset: Int, in tree: TreePage, _ page: PageImage
  ) -> (count: Int, overflow: Int?, overflowCount: Int)? {
    var start = tree.isLeaf ? offset : offset + 4
    if !tree.isIndex, !tree.isLeaf {
      return page.varint(start, before: page.count).map { (4 + $0.count, nil, 0) }
    }
    guard let (size, count) = page.varint(start, before: page.count), size >= 0 else { return nil }
    start += count
    if !tree.isIndex {
      guard let (_, count) = page.varint(start, before: page.count) else { return nil }
      start += count
    }
    let local = localCount(size, isIndex: tree.isIndex, usable: page.count)
    guard local <= page.count - start else { return nil }
    guard local < size else { return (max(start + local - offset, 4), nil, 0) }
    guard start + local <= page.count - 4 else { return nil }
    return (
      start + local + 4 - offset, page.integer(start + local, count: 4), size - local
    )
  }
}
