import KVBytes
import KVSystem
package import SystemPackage

/// What sort of archive a file is, by how it begins.
package enum ArchiveKind: Hashable, Sendable {
  /// ZIP.
  case zip
  /// TAR that is not packed.
  case tar
  /// TAR packed by gzip, or something else that is.
  case gzip
  /// TAR packed by xz, bzip2 or zstd, or something else that is.
  case filtered
  /// A backup of Android: a header of `start` bytes, then TAR, which may be packed by zlib.
  case androidBackup(start: Int, isPacked: Bool)
  /// A backup of Android that is encrypted.
  case encryptedBackup

  /// How many bytes tell it: a header of TAR.
  package static let headCount = 512

  private static let signatures: [(bytes: [UInt8], kind: ArchiveKind)] = [
    (Array("PK\u{3}\u{4}".utf8), .zip), (Array("PK\u{5}\u{6}".utf8), .zip),
    (Array("PK\u{7}\u{8}PK".utf8), .zip), ([0x1f, 0x8b, 8], .gzip),
    ([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], .filtered), ([0x28, 0xb5, 0x2f, 0xfd], .filtered),
    (Array("BZh".utf8), .filtered),
  ]

  /// How the names of archives end.
  private static let suffixes = [
    ".zip", ".tar", ".tgz", ".tar.gz", ".txz", ".tar.xz", ".tbz2", ".tar.bz2", ".tzst", ".tar.zst",
    ".ab",
  ]
  /// How the names of programs and documents end that are ZIP archives, and hold nothing that an app
  /// has stored.
  private static let packageSuffixes = [
    ".apk", ".apks", ".xapk", ".aab", ".aar", ".jar", ".war", ".whl", ".docx", ".xlsx", ".pptx",
    ".odt", ".ods", ".odp", ".epub", ".svgz",
  ]

  /// The archive of which `head` are the first bytes, ``headCount`` or all; `nil` where it is none.
  package init?(_ head: [UInt8]) {
    if let known = Self.signatures.first(where: { head.starts(with: $0.bytes) }) {
      self = known.kind
    } else if let backup = Self.backup(head) {
      self = backup
    } else if Self.isTAR(head) {
      self = .tar
    } else {
      return nil
    }
  }

  /// Whether the file at `path` has the name of an archive.
  static func isNamed(_ path: FilePath) -> Bool { hasSuffix(suffixes, path) }

  /// Whether the file at `path` has the name of a program or a document, which are not looked into
  /// unless they are named.
  package static func isPackage(_ path: FilePath) -> Bool { hasSuffix(packageSuffixes, path) }

  private static func hasSuffix(_ suffixes: [String], _ path: FilePath) -> Bool {
    let name = path.name.lowercased()
    return suffixes.contains { name.hasSuffix($0) }
  }

  /// The four lines that a backup begins with: what it is, its version, whether it is packed, and how it
  /// is encrypted.
  private static func backup(_ head: [UInt8]) -> ArchiveKind? {
    guard head.starts(with: "ANDROID BACKUP\n".utf8) else { return nil }
    let lines = head.split(
      separator: UInt8(ascii: "\n"), maxSplits: 4, omittingEmptySubsequences: false)
    guard lines.count == 5 else { return nil }
    guard lines[3].elementsEqual("none".utf8) else { return .encryptedBackup }
    return .androidBackup(
      start: lines[4].startIndex, isPacked: lines[2].elementsEqual("1".utf8))
  }

  /// Whether `head` is a header of TAR: its magic, or its checksum, of which a header that is damaged has
  /// one.
  private static func isTAR(_ head: [UInt8]) -> Bool {
    guard head.count >= headCount else { return false }
    if head[257..<262].elementsEqual("ustar".utf8) { return true }
    let field = head[148..<156].drop { $0 == UInt8(ascii: " ") }
      .prefix { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }
    guard !field.isEmpty, head[0] != 0 else { return false }
    let stored = field.reduce(0) { $0 * 8 + Int($1 - UInt8(ascii: "0")) }
    let sum = head[..<headCount].enumerated().reduce(0) { sum, byte in
      sum + ((148..<156).contains(byte.offset) ? Int(UInt8(ascii: " ")) : Int(byte.element))
    }
    return sum == stored
  }
}
