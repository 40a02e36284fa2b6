public import KVBytes

/// Recognises files that are something else, so that an error can say what.
public enum ForeignFile {
  private static let signatures: [(bytes: [UInt8], name: String)] = [
    (Array("SQLite format 3".utf8), "an SQLite database"),
    (Array("PK\u{3}\u{4}".utf8), "a ZIP archive"),
    ([0x1f, 0x8b], "a gzip file"),
    (Array("bplist00".utf8), "a binary property list"),
    (Array("<?xml".utf8), "an XML file"),
    (Array("%PDF-".utf8), "a PDF document"),
    ([0x89, 0x50, 0x4e, 0x47], "a PNG image"),
    ([0xff, 0xd8, 0xff], "a JPEG image"),
    ([0x7f, 0x45, 0x4c, 0x46], "an ELF program"),
    (Array("FastKV".utf8), "a FastKV file of iOS"),
  ]

  /// What `image` seems to be, with its article; nothing where that cannot be told.
  public static func name(of image: FileImage) -> String? {
    if image.count == 0 { return "an empty file" }
    if image.isZero(in: image.range) { return "zeros only" }
    let start = image.bytes(in: 0..<min(16, image.count))
    if let known = signatures.first(where: { start.starts(with: $0.bytes) }) { return known.name }
    let sample = image.bytes(in: 0..<min(4096, image.count))
    let isText = sample.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 9 || $0 == 10 || $0 == 13 }
    return isText ? "a text file" : nil
  }
}
