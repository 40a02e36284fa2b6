import KVBytes

/// Counts the leaves that SQLite visits when it reads a table from its first row to its last.
///
/// If several pages link to a page, it is visited several times. A few pages can be linked so that
/// reading them would take years. SQLite detects damage within a page, but not such links.
///
///     offset  count  field of a b-tree page; on page 1 after the 100 bytes of the file's header
///          0      1  2 or 5 for an interior page, 10 or 13 for a leaf
///          3      2  number of cells, big-endian
///          8      4  last child, big-endian; interior pages only
///         12      2  for each cell, its offset in the page; its first 4 bytes are a child
///
/// Reference: <https://www.sqlite.org/fileformat2.html> § 1.6.
struct BTreeWalk {
  /// A page and its depth.
  ///
  /// From the same place, the same leaves are visited each time.
  private struct Place: Hashable {
    let page: Int
    let depth: Int
  }

  private struct Visits {
    var count = 0
    /// Whether SQLite stops there because the page is damaged.
    var isEnd = false
  }

  // The same as SQLite's BTCURSOR_MAX_DEPTH.
  private static let maximumDepth = 20

  private let image: FileImage
  private let pageSize: Int
  private var known: [Place: Visits] = [:]

  /// Creates a walk through the tables of `image`, which has the header of a database.
  init(_ image: FileImage) {
    self.image = image
    let size = image.count < 100 ? 0 : image.bigEndian(16, count: 2)
    pageSize = size == 1 ? 65_536 : max(size, 512)
  }

  /// Returns whether SQLite, starting at the page `root`, would visit far more leaves than there
  /// are pages.
  mutating func isEndless(from root: Int) -> Bool {
    visits(Place(page: root, depth: 0)).count > 1024 + 32 * (image.count / pageSize)
  }

  private mutating func visits(_ place: Place) -> Visits {
    if let visits = known[place] { return visits }
    let start = (place.page - 1).multipliedReportingOverflow(by: pageSize).partialValue
    let header = place.page == 1 ? 100 : 0
    guard place.page > 0, place.page <= image.count / pageSize, place.depth < Self.maximumDepth
    else { return Visits(isEnd: true) }
    switch image[start + header] {
    case 10, 13: return Visits(count: 1)
    case 2, 5: break
    default: return Visits(isEnd: true)
    }
    var total = Visits()
    let cellCount = image.bigEndian(start + header + 3, count: 2)
    for ordinal in 0...cellCount where !total.isEnd {
      let pointer = header + 12 + 2 * ordinal
      guard pointer <= pageSize - 2 || ordinal == cellCount else {
        total.isEnd = true
        break
      }
      let cell = ordinal == cellCount ? header + 8 : image.bigEndian(start + pointer, count: 2)
      guard cell <= pageSize - 4 else {
        total.isEnd = true
        break
      }
      let next = visits(Place(page: image.bigEndian(start + cell), depth: place.depth + 1))
      total.count =
        total.count.addingReportingOverflow(next.count).overflow
        ? .max : total.count + next.count
      total.isEnd = next.isEnd
    }
    known[place] = total
    return total
  }
}
