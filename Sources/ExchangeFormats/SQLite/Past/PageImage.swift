import KVBytes
import KVModel

/// The bytes of a page of a database, as the database or a file beside it has them.
struct PageImage {
  /// The kind of the file that has the page.
  enum Source: Hashable {
    /// The database.
    case database
    /// The frame of a write-ahead log with this ordinal.
    case frame(Int)
    /// A rollback journal.
    case journal
  }

  /// The bytes of the file.
  let image: FileImage
  /// The identity of the file.
  let file: FileIndex
  /// The offset of the page in the file.
  let start: Int
  /// The number of bytes of the page that SQLite uses.
  let count: Int
  /// The number of the page, from 1 on.
  let number: Int
  let source: Source

  /// The offset of the header of a b-tree in the page.
  var header: Int { number == 1 ? 100 : 0 }

  /// The place of the page.
  struct Place: Hashable {
    let file: FileIndex
    let start: Int
  }

  /// The place of the page.
  var place: Place { Place(file: file, start: start) }

  /// Accesses the byte at `offset` in the page.
  ///
  /// - Precondition: The page has such a byte.
  subscript(offset: Int) -> UInt8 { image[start + offset] }

  /// Returns the big-endian integer of `count` bytes at `offset`, which lie in the page.
  func integer(_ offset: Int, count: Int) -> Int { image.bigEndian(start + offset, count: count) }

  /// Returns the bytes in `range`, which lies in the page.
  func bytes(in range: Range<Int>) -> [UInt8] {
    image.bytes(in: start + range.lowerBound..<start + range.upperBound)
  }

  /// Returns the variable-length integer at `offset` and its number of bytes, or `nil` if it does not
  /// end before `end`, which is in the page, or does not fit.
  ///
  /// The first byte is the highest. Each but the last has its high bit set, and the ninth byte is
  /// the last, with eight bits.
  func varint(_ offset: Int, before end: Int) -> (value: Int, count: Int)? {
    var value: UInt64 = 0
    for index in 0..<9 {
      guard offset + index < end else { return nil }
      let byte = self[offset + index]
      if index == 8 { return (Int(truncatingIfNeeded: value << 8 | UInt64(byte)), 9) }
      value = value << 7 | UInt64(byte & 0x7f)
      if byte < 0x80 { return (Int(value), index + 1) }
    }
    return nil
  }
}

/// The b-tree page that a page's header describes.
///
///     offset  count  field, big-endian; on page 1 after the 100 bytes of the file's header
///          0      1  2 or 5 for an interior page, 10 or 13 for a leaf; 5 and 13 for tables
///          1      2  offset of the first freeblock; 0 for none
///          3      2  number of cells
///          5      2  start of the cells; 0 for 65536
///          8      4  last child; interior pages only
///    8 or 12         for each cell, its offset
///
/// Reference: <https://www.sqlite.org/fileformat2.html> § 1.6.
struct TreePage {
  /// Whether the page belongs to an index.
  let isIndex: Bool
  /// Whether the page has no children.
  let isLeaf: Bool
  /// The offsets of the cells, in the order of their keys.
  let cells: [Int]
  /// The offset after the offsets of the cells.
  let pointerEnd: Int
  /// The start of the cells.
  let contentStart: Int
  /// The bytes between cells that are in the list of freeblocks.
  let freeblocks: [Range<Int>]

  /// Reads the header of `page`, or returns `nil` if it is none.
  init?(_ page: PageImage) {
    let header = page.header
    guard [2, 5, 10, 13].contains(page[header]) else { return nil }
    isIndex = page[header] & 1 == 0
    isLeaf = page[header] >= 10
    let count = page.integer(header + 3, count: 2)
    let first = header + (isLeaf ? 8 : 12)
    let end = first + 2 * count
    let start = page.integer(header + 5, count: 2)
    let contentStart = start == 0 ? 65536 : start
    guard end <= contentStart, contentStart <= page.count else { return nil }
    let cells = (0..<count).map { page.integer(first + 2 * $0, count: 2) }
    guard cells.allSatisfy({ $0 >= contentStart && $0 <= page.count - 4 }) else { return nil }
    self.cells = cells
    self.contentStart = contentStart
    pointerEnd = end
    var freeblocks: [Range<Int>] = []
    var next = page.integer(header + 1, count: 2)
    // Each freeblock is after the one before.
    while next >= (freeblocks.last?.upperBound ?? contentStart), next <= page.count - 4 {
      let size = page.integer(next + 2, count: 2)
      guard size >= 4, size <= page.count - next else { break }
      freeblocks.append(next..<next + size)
      next = page.integer(next, count: 2)
    }
    self.freeblocks = freeblocks
  }
}
