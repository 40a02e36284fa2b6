package import KVBytes

/// A backup that WCDB makes of a database's schema and of the checksums of its pages.
///
///     offset  count  field of the info, big-endian
///          0      4  page size
///          4      4  number of reserved bytes at the end of each page
///          8      8  salts of the log
///         16      4  number of log frames in the database
///         20      4  first page of `sqlite_sequence`, 0 for none; version 0x01000001
///
/// For each table, the content has, with SQLite's varints and counts:
///
///     name        count and UTF-8
///     root page   varint; version 0x01000001
///     sequence    varint: the largest row ID that was ever used
///     SQL         count and UTF-8: the statement that creates the table
///     associated  varint, then as many texts: the statements that create its indexes and triggers
///     pages       varint, then as many leaves. Each is a varint and, in four bytes, the CRC-32 of
///                 the whole page. The varint is the page's number; in version 0x01000001, the
///                 difference to the page before.
///
/// Reference: WCDB's `Material::Info` and `Material::Content`.
package struct WCDBMaterial: Hashable, Sendable {
  /// A leaf of a table.
  package struct Page: Hashable, Sendable {
    package let number: UInt32
    package let checksum: UInt32
  }

  /// A table.
  package struct Table: Hashable, Sendable {
    package let name: String
    package let rootPage: UInt64?
    package let sequence: Int64
    package let sql: String
    package let associatedSQL: [String]
    package let pages: [Page]
  }

  package static let magic: UInt32 = 0x5743_4442
  private static let newVersion: UInt32 = 0x0100_0001

  package let version: UInt32
  package let pageSize: Int
  package let salt: WALSalt
  package private(set) var tables: [Table] = []

  /// Reads the material in `image`.
  ///
  /// - Throws: An error if the image is damaged, or is not a material.
  package init(_ image: FileImage) throws(MaterialError) {
    var input = ByteCursor(image.storageSpan, in: image.range)
    version = try MaterialLayout.readVersion(
      of: &input, magic: Self.magic, versions: [0x0100_0000, Self.newVersion])
    let start = input.offset
    let size = try MaterialLayout.readWord(of: &input, "page size")
    guard (512...65536).contains(size), size.nonzeroBitCount == 1 else {
      throw MaterialError(
        "its page size is \(size), which SQLite does not allow", at: start..<input.offset)
    }
    pageSize = Int(size)
    _ = try MaterialLayout.readWord(of: &input, "count of reserved bytes")
    salt = try MaterialLayout.readSalt(of: &input)
    _ = try MaterialLayout.readWord(of: &input, "count of frames")
    if version >= Self.newVersion { _ = try MaterialLayout.readWord(of: &input, "sequence page") }
    let content = try MaterialLayout.readContent(of: &input, in: image)
    var tableInput = ByteCursor(image.storageSpan, in: content)
    while !tableInput.isAtEnd { tables.append(try Self.readTable(of: &tableInput, image, version)) }
  }

  /// The number of leaves in all tables.
  package var pageCount: Int { tables.reduce(0) { $0 + $1.pages.count } }

  private static func readTable(
    of input: inout ByteCursor, _ image: FileImage, _ version: UInt32
  ) throws(MaterialError) -> Table {
    let name = try readText(of: &input, image, "name of a table")
    let isNew = version >= newVersion
    let root = isNew ? try MaterialLayout.readVarint(of: &input, "root page") : nil
    let sequence = try MaterialLayout.readVarint(of: &input, "sequence")
    let sql = try readText(of: &input, image, "SQL of a table")
    let count = try MaterialLayout.readVarint(of: &input, "count of associated SQL")
    var associated: [String] = []
    // The count is not trusted. The loop ends with the bytes, because each string takes some.
    var ordinal: UInt64 = 0
    while ordinal < count {
      associated.append(try readText(of: &input, image, "associated SQL"))
      ordinal += 1
    }
    let pages = try readPages(of: &input, areDifferences: isNew)
    return Table(
      name: name, rootPage: root, sequence: Int64(bitPattern: sequence), sql: sql,
      associatedSQL: associated, pages: pages)
  }

  private static func readPages(
    of input: inout ByteCursor, areDifferences: Bool
  ) throws(MaterialError) -> [Page] {
    let count = try MaterialLayout.readVarint(of: &input, "count of pages")
    var pages: [Page] = []
    var last: UInt32 = 0
    var ordinal: UInt64 = 0
    while ordinal < count {
      let start = input.offset
      let stored = try MaterialLayout.readVarint(of: &input, "page number")
      let (number, isTooLarge) = stored.addingReportingOverflow(areDifferences ? UInt64(last) : 0)
      guard !isTooLarge, let number = UInt32(exactly: number), number > 0 else {
        throw MaterialError("it has an impossible page number", at: start..<input.offset)
      }
      last = number
      pages.append(
        Page(number: number, checksum: try MaterialLayout.readWord(of: &input, "page checksum")))
      ordinal += 1
    }
    return pages
  }

  private static func readText(
    of input: inout ByteCursor, _ image: FileImage, _ what: String
  ) throws(MaterialError) -> String {
    let start = input.offset
    let range: Range<Int>
    do {
      range = try input.readCountedRange()
    } catch {
      throw MaterialError(error, what, end: input.end)
    }
    guard !range.isEmpty else {
      throw MaterialError("its \(what) is empty", at: start..<input.offset)
    }
    return String(decoding: image.bytes(in: range), as: UTF8.self)
  }
}
