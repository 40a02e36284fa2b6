import KVBytes
import KVModel

/// The record of a row in a page: where it is, and the types of its values.
struct FoundCell {
  /// The bytes of the cell in its page.
  var range: Range<Int>
  /// The row ID; `nil` if it was overwritten, or there is none.
  var rowID: Int?
  /// The serial types of the columns.
  var types: [Int]
  /// The bytes of the values that are in the page.
  var body: Range<Int>
  /// The number of bytes of the values.
  var bodyCount: Int
  /// The first overflow page, if not all bytes of the values are in the page.
  var overflow: Int?
}

/// Reads cells of a page that has rows of one table, also where freed cells were.
///
///     cell of    fields
///     a table    size of the record, row ID, record
///     an index   size of the record, record; on an interior page after 4 bytes, a child
///     record     size of this header and, for each column, its serial type; the values
///
/// All sizes, IDs and types are variable-length integers. If a record is too large for the page,
/// 4 bytes after its start are the number of the page with the next bytes.
///
/// Reference: <https://www.sqlite.org/fileformat2.html> § 1.6 and § 2.1.
struct CellReader {
  let page: PageImage
  let shape: RowShape
  /// The number of bytes before the record's size.
  let childCount: Int
  /// Whether freed cells of the page can have been those of the table, so that a cell can lack its
  /// first bytes.
  let mayBeFreed: Bool

  /// The number of bytes at the start of a freed cell that SQLite overwrites.
  static let freeblockHeaderCount = 4

  /// Returns the number of bytes of a record of `count` bytes that are in its page.
  static func localCount(_ count: Int, isIndex: Bool, usable: Int) -> Int {
    let least = (usable - 12) * 32 / 255 - 23
    let most = isIndex ? (usable - 12) * 64 / 255 - 23 : usable - 35
    guard count > most else { return count }
    let rest = least + (count - least) % (usable - 4)
    return rest <= most ? rest : least
  }

  /// Returns the cell at `offset`, or `nil` if there is none that ends at `limit` or before.
  ///
  /// With `isStrict`, the record must have all columns, with the types that apps store in them.
  func cell(at offset: Int, before limit: Int, isStrict: Bool) -> FoundCell? {
    let first = offset + childCount
    guard let (size, count) = page.varint(first, before: limit), size >= 2 else { return nil }
    var start = first + count
    var rowID: Int?
    if !shape.isIndex {
      guard let (id, count) = page.varint(start, before: limit) else { return nil }
      (rowID, start) = (id, start + count)
    }
    return record(at: start, from: offset, before: limit, isStrict: isStrict, rowID: rowID) {
      $0 == size
    }
  }

  /// Returns the cell at `offset` whose record is at `start`, if `isSize` accepts its size.
  private func record(
    at start: Int, from offset: Int, before limit: Int, isStrict: Bool, rowID: Int? = nil,
    _ isSize: (Int) -> Bool
  ) -> FoundCell? {
    let columnCount = shape.columns.count
    guard let (headerCount, own) = page.varint(start, before: limit),
      headerCount > (isStrict ? columnCount : 1), headerCount <= own + 9 * columnCount,
      headerCount <= limit - start
    else { return nil }
    var types: [Int] = []
    var position = start + own
    while position < start + headerCount {
      guard let (type, count) = page.varint(position, before: start + headerCount) else {
        return nil
      }
      types.append(type)
      position += count
    }
    guard types.count == columnCount || !isStrict && types.count < columnCount else { return nil }
    return cell(
      from: offset, before: limit, types, bodyAt: position, header: headerCount,
      isStrict: isStrict, rowID: rowID, isSize)
  }

  /// Returns the cell at `offset` with these types, whose values begin at `body`, if `isSize` accepts
  /// the size of its record.
  private func cell(
    from offset: Int, before limit: Int, _ types: [Int], bodyAt body: Int, header: Int,
    isStrict: Bool, rowID: Int? = nil, _ isSize: (Int) -> Bool
  ) -> FoundCell? {
    var bodyCount = 0
    for (ordinal, type) in types.enumerated() {
      guard let count = SerialType.count(type), count <= FileImage.maximumCount,
        !isStrict || shape.columns[ordinal].expects(type)
      else { return nil }
      bodyCount += count
      guard bodyCount <= FileImage.maximumCount else { return nil }
    }
    let size = header + bodyCount
    guard isSize(size) else { return nil }
    let local = Self.localCount(size, isIndex: shape.isIndex, usable: page.count)
    guard local >= header, local - header <= limit - body else { return nil }
    let bodyEnd = body + local - header
    let end = max(local < size ? bodyEnd + 4 : bodyEnd, offset + Self.freeblockHeaderCount)
    guard end <= limit else { return nil }
    return FoundCell(
      range: offset..<end, rowID: rowID, types: types, body: body..<bodyEnd, bodyCount: bodyCount,
      overflow: local < size ? page.integer(bodyEnd, count: 4) : nil)
  }

  // MARK: Freed cells

  /// Returns the cell at `offset` whose first four bytes were overwritten, if it ends at `end` or
  /// before.
  ///
  /// The size, the row ID and the size of the header follow from the types that are left, and the
  /// number of overwritten bytes from the sizes. If the first type is among these bytes, the value
  /// has what the others leave of the bytes up to `end`.
  func freedCell(at offset: Int, before end: Int) -> FoundCell? {
    let types = offset + Self.freeblockHeaderCount
    guard types < end else { return nil }
    if childCount > 0 {
      // Only the child was overwritten.
      return cell(at: offset, before: end, isStrict: true)
    }
    var found: [FoundCell] = []
    // The header is whole from its size on, or from the first type on.
    for lost in Self.freeblockHeaderCount...13 {
      guard lost == Self.freeblockHeaderCount || !shape.isIndex && types + lost - 5 < end,
        lost == Self.freeblockHeaderCount || page[offset + lost - 1] < 0x80 || lost == 13
      else { continue }
      if let cell = record(
        at: offset + lost, from: offset, before: end, isStrict: true, { _ in true }),
        fits(cell, lost: lost)
      {
        found.append(cell)
      }
    }
    found += cell(at: offset, typesAt: types, known: [], before: end).map { [$0] } ?? []
    // SQLite leaves up to three bytes of a freeblock unused.
    return found.first { (0...3).contains(end - $0.range.upperBound) }
      ?? cellWithoutFirstType(at: offset, end: end) ?? found.first
  }

  /// Returns whether the size of the record of `cell` and a row ID have `lost` bytes.
  private func fits(_ cell: FoundCell, lost: Int) -> Bool {
    let header = cell.body.lowerBound - cell.range.lowerBound - lost
    let sizeCount = Self.varintCount(header + cell.bodyCount)
    return shape.isIndex ? sizeCount == lost : (1...9).contains(lost - sizeCount)
  }

  private static func varintCount(_ value: Int) -> Int {
    value < 1 << 7 ? 1 : value < 1 << 14 ? 2 : value < 1 << 21 ? 3 : value < 1 << 28 ? 4 : 5
  }

  /// Returns the cell at `offset` with the first types `known` and others at `start`, whose size,
  /// row ID and header size are before, in as many bytes as they need.
  private func cell(
    at offset: Int, typesAt start: Int, known: [Int], before limit: Int
  ) -> FoundCell? {
    var types = known
    var position = start
    while types.count < shape.columns.count {
      guard let (type, count) = page.varint(position, before: limit) else { return nil }
      types.append(type)
      position += count
    }
    let known = known.reduce(0) { $0 + Self.varintCount($1) }
    let header = 1 + position - start + known
    guard header < 0x80 else { return nil }
    let lost = start - offset - 1 - known
    return cell(
      from: offset, before: limit, types, bodyAt: position, header: header, isStrict: true
    ) { size in
      let sizeCount = Self.varintCount(size)
      return shape.isIndex ? sizeCount == lost : lost > sizeCount
    }
  }

  /// Returns the cell at `offset` that ends at `end`, and whose first type is the last byte that was
  /// overwritten, or begins there.
  private func cellWithoutFirstType(at offset: Int, end: Int) -> FoundCell? {
    let start = offset + Self.freeblockHeaderCount
    guard let column = shape.columns.first, end - start >= shape.columns.count else { return nil }
    // The size and the row ID, or the size of an index's record, have this number of bytes.
    let lost = 2
    let size = end - offset - lost
    guard size < (shape.isIndex ? 1 << 14 : 1 << 7) else { return nil }
    return [2, 1].lazy.compactMap { own -> FoundCell? in
      var position = start + own - 1
      var others = 0
      for _ in shape.columns.dropFirst() {
        guard let (type, count) = page.varint(position, before: end),
          let bytes = SerialType.count(type), bytes <= end
        else { return nil }
        others += bytes
        position += count
      }
      let header = 1 + position - (start - 1)
      guard size >= header + others, let type = column.type(ofCount: size - header - others),
        Self.varintCount(type) == own, own == 1 || type & 0x7f == Int(page[start])
      else { return nil }
      return cell(at: offset, typesAt: start + own - 1, known: [type], before: end)
    }.first
  }
}
