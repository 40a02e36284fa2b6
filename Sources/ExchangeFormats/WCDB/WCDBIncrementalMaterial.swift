package import KVBytes

/// What WCDB keeps of the pages that went from the log to the database since the last material.
///
/// The info, with varints as SQLite has them:
///
///     8 bytes  salts of the log when the last material was made
///     8 bytes  salts of the log now
///     varint   how many frames of the log were in the database when the last material was made
///     varint   how many are now
///     4 bytes  cookie of the schema, big-endian
///     varint   whether the last checkpoint came to its end
///     4 bytes  when the last material was made, in seconds since 1970, big-endian
///     varint   how often it was brought up to date
///
/// The content has for each page its number in a varint, a varint with its type in the higher bits and
/// in bit 0 whether a CRC-32 follows, and that in four bytes.
///
/// Reference: WCDB's `IncrementalMaterial::Info` and `IncrementalMaterial::Page`.
package struct WCDBIncrementalMaterial: Hashable, Sendable {
  /// A page that has changed.
  package enum Page: Hashable, Sendable {
    /// A leaf of a table, of which the checksum is known.
    case leaf(checksum: UInt32)
    case other
  }

  private static let magic: UInt32 = 0x5743_4441

  package let version: UInt32
  /// In seconds since 1970.
  package let time: UInt32
  /// The pages by their numbers.
  package private(set) var pages: [UInt32: Page] = [:]

  /// The material in `image`.
  ///
  /// - Throws: When it is none, or damaged.
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
        throw MaterialError("it has a page whose number no page has", at: start..<pageInput.offset)
      }
      pages[number] =
        type & 1 == 1
        ? .leaf(checksum: try MaterialLayout.readWord(of: &pageInput, "page checksum")) : .other
    }
  }
}
