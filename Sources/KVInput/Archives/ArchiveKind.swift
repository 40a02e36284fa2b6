import KVBytes
import KVSystem
package import SystemPackage

/// The type of an archive, recognized by its first bytes.
package enum ArchiveKind: Hashable, Sendable {
  /// A ZIP archive.
  case zip
  /// An uncompressed TAR archive.
  case tar
  /// A TAR archive compressed with gzip, or another gzip file.
  case gzip
  /// A TAR archive compressed with xz, bzip2 or zstd, or another such file.
  case filtered
  /// An Android backup: a header of `start` bytes, then a TAR archive, which may be compressed with
  /// zlib.
  case androidBackup(start: Int, isPacked: Bool)
  /// An encrypted Android backup.
  case encryptedBackup
  /// An archive of a type that is not read, such as `7z`.
  case unsupported(String)
  /// A disk image, which is not read, with the name of its type.
  case diskImage(String)

  /// The number of bytes needed to recognize the type: the start of a file system.
  package static let headCount = 2048
  /// The number of bytes of a TAR header.
  static let tarCount = 512

  private static let signatures: [(bytes: [UInt8], kind: ArchiveKind)] = [
    (Array("PK\u{3}\u{4}".utf8), .zip), (Array("PK\u{5}\u{6}".utf8), .zip),
    (Array("PK\u{7}\u{8}PK".utf8), .zip), ([0x1f, 0x8b, 8], .gzip),
    ([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], .filtered), ([0x28, 0xb5, 0x2f, 0xfd], .filtered),
    (Array("BZh".utf8), .filtered),
    ([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], .unsupported("7z")),
    (Array("Rar!\u{1a}\u{7}".utf8), .unsupported("RAR")),
  ]

  /// Why archives of this kind are not searched; `nil` if they are.
  var refusal: String? {
    switch self {
    case .encryptedBackup: "the backup is encrypted"
    case .unsupported(let name):
      "it is a \(name) archive, and these are not searched: unpack it, and scan the folder"
    case .diskImage(let name):
      "it is a disk image (\(name)), and these are not searched: mount it read-only, and scan the "
        + "folder, or carve the image"
    case .zip, .tar, .gzip, .filtered, .androidBackup: nil
    }
  }

  /// The filename extensions of archives that few other files have.
  private static let ownSuffixes = [
    ".zip", ".tar", ".tgz", ".tar.gz", ".txz", ".tar.xz", ".tbz2", ".tar.bz2", ".tzst", ".tar.zst",
  ]
  /// The filename extensions of archives.
  ///
  /// The files of games often have that of Android's backups.
  private static let suffixes = ownSuffixes + [".ab"]
  /// The filename extensions of programs and documents that are ZIP archives but do not hold data
  /// stored by apps.
  private static let packageSuffixes = [
    ".apk", ".apks", ".xapk", ".aab", ".aar", ".jar", ".war", ".whl", ".docx", ".xlsx", ".pptx",
    ".odt", ".ods", ".odp", ".epub", ".svgz",
  ]

  /// Recognizes an archive by `head`, its first ``headCount`` bytes or all of a shorter file;
  /// returns `nil` if it is not an archive, or if only a later part shows that it is one; see
  /// ``init(named:_:)``.
  package init?(_ head: [UInt8]) {
    if let known = Self.signatures.first(where: { head.starts(with: $0.bytes) }) {
      self = known.kind
    } else if let backup = Self.backup(head) {
      self = backup
    } else if Self.isTAR(head) {
      self = .tar
    } else if let name = Self.diskImage(head) {
      self = .diskImage(name)
    } else {
      return nil
    }
  }

  /// Returns whether the file at `path` is named like an archive.
  package static func isNamed(_ path: FilePath) -> Bool { hasSuffix(suffixes, path) }

  /// Returns whether the file at `path` is named as only archives are.
  package static func isNamedOnlyAsArchive(_ path: FilePath) -> Bool {
    hasSuffix(ownSuffixes, path)
  }

  /// Returns whether the file at `path` is named like a program or document, which is opened only
  /// if the user names it.
  package static func isPackage(_ path: FilePath) -> Bool { hasSuffix(packageSuffixes, path) }

  static func hasSuffix(_ suffixes: [String], _ path: FilePath) -> Bool {
    let bytes = path.bytes
    return suffixes.contains { suffix in
      bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) { byte, letter in
        byte == letter || (0x41...0x5a).contains(byte) && byte | 0x20 == letter
      }
    }
  }

  /// The first line of an Android backup.
  private static let magic = Array("ANDROID BACKUP\n".utf8)

  /// Parses the four lines that an Android backup begins with: its magic, version, compression and
  /// encryption.
  ///
  /// Of the magic, which says nothing about the rest, a few bytes may be damaged.
  private static func backup(_ head: [UInt8]) -> ArchiveKind? {
    guard Swift.zip(head, magic).count(where: ==) >= magic.count - 2 else { return nil }
    let lines = head.dropFirst(magic.count).split(
      separator: UInt8(ascii: "\n"), maxSplits: 3, omittingEmptySubsequences: false)
    guard lines.count == 4 else { return nil }
    guard lines[2].elementsEqual("none".utf8) else { return .encryptedBackup }
    return .androidBackup(
      start: lines[3].startIndex, isPacked: lines[1].elementsEqual("1".utf8))
  }

  /// The signatures of disk images, at their offsets.
  private static let disks: [(offset: Int, bytes: [UInt8], name: String)] = [
    (0x400, [0x10, 0x20, 0xf5, 0xf2], "F2FS"), (0x20, Array("NXSB".utf8), "APFS"),
    (0x400, Array("H+\0\u{4}".utf8), "HFS Plus"), (0x400, Array("HX\0\u{5}".utf8), "HFS Plus"),
    (3, Array("NTFS    ".utf8), "NTFS"), (3, Array("EXFAT   ".utf8), "exFAT"),
    (0x52, Array("FAT32   ".utf8), "FAT"), (0x200, Array("EFI PART".utf8), "GPT"),
    (0, [0x3a, 0xff, 0x26, 0xed, 1, 0], "Android sparse image"),
    (0, [0x45, 0x56, 0x46, 9, 0x0d, 0x0a, 0xff, 0], "EWF"), (0, Array("QFI\u{fb}".utf8), "QCOW"),
    (0, Array("KDMV".utf8), "VMDK"), (0, Array("vhdxfile".utf8), "VHDX"),
  ]

  /// Returns the type of the disk image that begins with `head`; `nil` if it is none.
  private static func diskImage(_ head: [UInt8]) -> String? {
    let known = disks.first { disk in
      head.count >= disk.offset + disk.bytes.count
        && head[disk.offset...].starts(with: disk.bytes)
    }
    if let known { return known.name }
    // The signature of ext2, ext3 and ext4 has two bytes; the first block, the size of a block, the
    // state and the revision have few values.
    guard head.count >= 0x450, head[0x438] == 0x53, head[0x439] == 0xef, head[0x414] < 2,
      head[0x415..<0x418].allSatisfy({ $0 == 0 }), head[0x418] < 7,
      head[0x419..<0x41c].allSatisfy({ $0 == 0 }), head[0x44c] < 2, head[0x44d] == 0
    else { return nil }
    return "ext4"
  }

  /// Returns whether `head` is a TAR header, which still has its magic or a matching checksum if it
  /// is damaged.
  private static func isTAR(_ head: [UInt8]) -> Bool {
    head.count >= tarCount && (hasTARMagic(head[...]) || hasTARChecksum(head[..<tarCount]))
  }
}
