package import KVBytes

/// WCDB's record of the pages that moved from the log to the database since the last material.
///
/// The info, in which varints are SQLite's:
///
///     8 bytes  salts of the log when the last material was made
///     8 bytes  salts of the log now
///     varint   number of log frames in the database when the last material was made
///     varint   number of log frames in the database now
///     4 bytes  schema cookie, big-endian
///     varint   whether the last checkpoint completed
///     4 bytes  time of the last material, in seconds since 1970, big-endian
///     varint   number of updates
///
/// For each page, the content has:
///
///     varint   page number
///     varint   type of the page in the higher bits; in bit 0, whether a CRC-32 follows
///     4 bytes  CRC-32, if there is one
///
/// Reference: WCDB's `IncrementalMaterial::Info` and `IncrementalMaterial::Page`.
package struct WCDBIncrementalMaterial: Hashable, Sendable {
  /// A page that has changed.
  package enum Page: Hashable, Sendable {
    /// A leaf of a table, with a known checksum.
    case leaf(checksum: UInt32)
    case other
  }

  private static let magic: UInt32 = 0x5743_4441

  package let version: UInt32
  /// The time of the last material, in seconds since 1970.
  package let time: UInt32
  /// The changed pages, by number.
  package private(set) var pages: [UInt32: Page] = [:]

  /// Reads the material in `image`.
  ///
  /// - Throws: An error if the image is damaged, or is not a material.
  package init(_ image: FileImage) throws(MaterialError) {
    var input = ByteCursor(image.storageSpan, in: image.range)
    version = try MaterialLayout.readVersion(
      of: &input, magic: Self.magic, versions: [0x0100_0000])
    _ = try MaterialLayout.readSalt(of: &input)
    _ = try MaterialLayout.readSalt(of: &input)
    _ = try MaterialLayout.readVarint(of: &input, "count of frames")
    _ = try MaterialLayout.readVarint(of: &input, "count of frames")
    _ = try MaterialLayout.readWord(of: &input, "cookie")
    _ = try MaterialLayout.readVarint(of: &input, "state")
    time = try MaterialLayout.readWord(of: &input, "time")
    _ = try MaterialLayout.readVarint(of: &input, "count of updates")
    let content = try MaterialLayout.readContent(of: &input, in: image)
    var pageInput = ByteCursor(image.storageSpan, in: content)
    while !pageInput.isAtEnd {
      let start = pageInput.offset
      let number = try MaterialLayout.readVarint(of: &pageInput, "page number")
      let type = try MaterialLayout.readVarint(of: &pageInput, "page type")
      guard let number = UInt32(exactly: number), number > 0 else {
        throw MaterialError("it has an impossible page number", at: start..<pageInput.offset)
      }
      pages[number] =
        type & 1 == 1
        ? .leaf(checksum: try MaterialLayout.readWord(of: &pageInput, "page checksum")) : .other
    }
  }
}
