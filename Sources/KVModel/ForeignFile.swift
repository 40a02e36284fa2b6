package import KVBytes

/// Recognizes files that are not stores, so that an error can say what they are.
package enum ForeignFile {
  /// The first bytes of files of one kind.
  private struct Signature {
    let offset: Int
    let bytes: [UInt8]
    /// The name of the kind, with its article.
    let name: String
    /// Whether the kind is media, a font, a document, an archive or a program, and so not a store,
    /// whatever follows the signature.
    let isMedia: Bool

    init(_ text: String, _ name: String, at offset: Int = 0, isMedia: Bool = true) {
      self.init(Array(text.utf8), name, at: offset, isMedia: isMedia)
    }

    init(_ bytes: [UInt8], _ name: String, at offset: Int = 0, isMedia: Bool = true) {
      self.offset = offset
      self.bytes = bytes
      self.name = name
      self.isMedia = isMedia
    }

    func begins(_ head: FileImage) -> Bool {
      head.count >= offset + bytes.count
        && head.bytes(in: offset..<offset + bytes.count) == bytes
    }
  }

  /// The beginning of an SQLite database.
  private static let database = "SQLite format 3\0"
  /// The beginning of an AppleDouble file: the magic number, then the version number 2.
  private static let appleDouble: [UInt8] = [0, 5, 0x16, 7, 0, 2, 0, 0]
  private static let signatures = [
    Signature(database, "an SQLite database", isMedia: false),
    Signature("bplist00", "a binary property list", isMedia: false),
    Signature("<?xml", "an XML file", isMedia: false),
    Signature("FastKV", "a FastKV file of iOS", isMedia: false),
    Signature("ABX\0", "an Android binary XML file (ABX)", isMedia: false),
    Signature("T-DB", "a Realm database", at: 16, isMedia: false),
    Signature(
      [0x30, 0x5c, 0x72, 0xa7, 0x1b, 0x6d, 0xfb, 0xfc], "a file of Chromium's cache",
      isMedia: false),
    Signature([0xc3, 0xca, 0x04, 0xc1], "a file of Chromium's cache", isMedia: false),
    Signature("PK\u{3}\u{4}", "a ZIP archive"), Signature([0x1f, 0x8b, 8], "a gzip file"),
    Signature("%PDF-", "a PDF document"),
    Signature(appleDouble, "an AppleDouble file of macOS", isMedia: false),
    Signature([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a], "a PNG image"),
    Signature([0xff, 0xd8, 0xff], "a JPEG image"), Signature("GIF8", "a GIF image"),
    Signature("WEBP", "a WebP image", at: 8), Signature("WAVE", "a sound", at: 8),
    Signature("ftyp", "a video or an image of ISO media", at: 4), Signature("OggS", "a sound"),
    Signature("ID3", "a sound"), Signature("fLaC", "a sound"),
    Signature([0x1a, 0x45, 0xdf, 0xa3], "a Matroska video"),
    Signature([0x7f, 0x45, 0x4c, 0x46], "an ELF program"),
    Signature("dex\n", "an Android program"),
    Signature([0xfe, 0xed, 0xfa], "a Mach-O program"),
    Signature([0xcf, 0xfa, 0xed, 0xfe], "a Mach-O program"),
    Signature([0xca, 0xfe, 0xba, 0xbe], "a Java class or a Mach-O program"),
    Signature("OTTO", "a font"), Signature("wOF", "a font"), Signature([0, 1, 0, 0, 0], "a font"),
  ]
  /// The number of bytes that ``isMedia(_:)`` needs.
  package static let headCount = 16

  /// Returns whether a file that begins with `head` is media, a font, a document, an archive or a
  /// program.
  ///
  /// Such a file need not be read to rule out a store.
  package static func isMedia(_ head: FileImage) -> Bool {
    signatures.contains { $0.isMedia && $0.begins(head) }
  }

  /// Returns whether a file that begins with `head` is a program, whose bytes are code and texts.
  package static func isProgram(_ head: FileImage) -> Bool {
    signatures.contains { $0.name.hasSuffix("program") && $0.begins(head) }
  }

  /// Returns whether the file called `name`, which begins with `head`, is one in which macOS keeps
  /// attributes that a volume or an archive cannot store.
  package static func isAttributes(_ head: FileImage, named name: String) -> Bool {
    name.hasPrefix("._") && head.bytes.starts(with: appleDouble)
  }

  /// Returns whether a file that begins with `head` is an SQLite database.
  package static func isDatabase(_ head: FileImage) -> Bool {
    signatures[0].begins(head)
  }

  /// Returns whether `image`, in which no byte is 0x80 or more, begins like a file of a format that
  /// has such bytes in every file of some length.
  static func lacksHighBits(_ image: FileImage) -> Bool {
    let beginnings = [database, "bplist00"].map { Array($0.utf8) }
    return image.count >= 512 && beginnings.contains { image.bytes(in: 0..<16).starts(with: $0) }
  }

  /// Returns what the file at `location`, which has the bytes of `image`, seems to be, with its
  /// article; `nil` if it is not recognized.
  package static func name(of image: FileImage, at location: FileLocation) -> String? {
    if location.name.hasSuffix(".hive"), image.count > 0 {
      return "a box of Hive, a database of Flutter"
    }
    if location.folder == "datastore", location.name.hasSuffix(".pb") {
      return "a Proto DataStore, whose fields only the app's own schema names"
    }
    return name(of: image)
  }

  /// Returns what `image` seems to be, with its article; `nil` if it is not recognized.
  package static func name(of image: FileImage) -> String? {
    if image.count == 0 { return "an empty file" }
    if image.isZero(in: image.range) { return "only zeros" }
    if let known = signatures.first(where: { $0.begins(image) }) { return known.name }
    if let database = nameOfDatabase(image) { return database }
    let sample = image.bytes(in: 0..<min(4096, image.count))
    let isText = sample.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 9 || $0 == 10 || $0 == 13 }
    return isText ? "a text file" : nil
  }

  /// The last bytes of a table of LevelDB.
  private static let tableEnd: [UInt8] = [0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb]
  private static let comparator = Array("leveldb.BytewiseComparator".utf8)

  /// Returns the name of a database without a signature at its start, with its article.
  ///
  /// LevelDB has tables, which end in a signature, and logs: a checksum, a length, the type 1 of a
  /// whole record, and then the name of the order of keys, or the number of the first change in the
  /// record and how many there are.
  private static func nameOfDatabase(_ image: FileImage) -> String? {
    let name = "a file of a LevelDB database"
    if image.count >= 48, image.bytes(in: image.count - 8..<image.count) == tableEnd {
      return name
    }
    let head = image.bytes(in: 0..<min(64, image.count))
    guard head.count >= 20, head[6] == 1 else { return nil }
    let count = Int(head[4]) | Int(head[5]) << 8
    guard count <= image.count - 7 else { return nil }
    if head.firstRange(of: comparator) != nil { return name }
    let changes = head[15..<19].reversed().reduce(0) { $0 << 8 | Int($1) }
    return head[14] == 0 && head[13] == 0 && (1...max(1, count / 3)).contains(changes)
      && head[19] < 2
      ? name : nil
  }
}
