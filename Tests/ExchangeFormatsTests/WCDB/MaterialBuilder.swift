import KVBytes

/// A builder of materials, made by hand from the layout that `WCDBMaterial` documents.
///
/// None of these materials was made by WCDB itself. The tests show that the reader follows that
/// layout, not that the layout is WCDB's.
struct MaterialBuilder {
  struct Table {
    var name = "t"
    var sql = "CREATE TABLE t(k, v)"
    var associated: [String] = []
    var pages: [(number: UInt64, checksum: UInt32)] = []
  }

  var magic: UInt32 = 0x5743_4442
  var version: UInt32 = 0x0100_0001
  var pageSize: UInt32 = 512
  var salt: (UInt32, UInt32) = (0, 0)
  var tables: [Table] = []

  static func word(_ word: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
  }

  /// Returns a varint as SQLite's file format defines it.
  static func varint(_ value: UInt64) -> [UInt8] {
    if value >> 56 != 0 {
      return (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(57 - 7 * $0)) | 0x80 }
        + [UInt8(truncatingIfNeeded: value)]
    }
    var bytes = [UInt8(value & 0x7f)]
    var rest = value >> 7
    while rest != 0 {
      bytes.insert(UInt8(rest & 0x7f) | 0x80, at: 0)
      rest >>= 7
    }
    return bytes
  }

  static func text(_ text: String) -> [UInt8] { varint(UInt64(text.utf8.count)) + text.utf8 }

  static func checked(_ content: [UInt8]) -> [UInt8] {
    let image = FileImage(content)
    return word(CRC32.digest(of: image, in: image.range)) + varint(UInt64(content.count)) + content
  }

  private var isNew: Bool { version >= 0x0100_0001 }

  var content: [UInt8] {
    var bytes: [UInt8] = []
    for table in tables {
      bytes += Self.text(table.name)
      if isNew { bytes += Self.varint(2) }
      bytes += Self.varint(300) + Self.text(table.sql)
      bytes += Self.varint(UInt64(table.associated.count)) + table.associated.flatMap(Self.text)
      bytes += Self.varint(UInt64(table.pages.count))
      var last: UInt64 = 0
      for page in table.pages {
        bytes += Self.varint(isNew ? page.number - last : page.number) + Self.word(page.checksum)
        last = page.number
      }
    }
    return bytes
  }

  /// Returns the material with `content` instead of its own content.
  func bytes(content: [UInt8]) -> [UInt8] {
    var bytes = Self.word(magic) + Self.word(version) + Self.word(pageSize) + Self.word(0)
    bytes += Self.word(salt.0) + Self.word(salt.1) + Self.word(0)
    if isNew { bytes += Self.word(0) }
    return bytes + Self.checked(content)
  }

  var bytes: [UInt8] { bytes(content: content) }

  /// Returns an incremental material of `pages`, in which leaves have checksums.
  static func incremental(_ pages: [(number: UInt64, checksum: UInt32?)]) -> [UInt8] {
    var bytes = word(0x5743_4441) + word(0x0100_0000) + word(1) + word(2) + word(3) + word(4)
    bytes += varint(300) + varint(5) + word(6) + varint(1) + word(1_700_000_000) + varint(2)
    return bytes
      + checked(
        pages.flatMap { page in
          varint(page.number) + (page.checksum.map { varint(27) + word($0) } ?? varint(10))
        })
  }
}
