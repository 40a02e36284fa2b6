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

  private static let ownSignatures: [(bytes: [UInt8], name: String)] = [
    (Array("key,key_hex,type,value,".utf8), "a CSV file that kvfsck wrote"),
    (Array("key\tkey_hex\ttype\tvalue\t".utf8), "a TSV file that kvfsck wrote"),
  ]
  /// What the first line of a report has: its type, and a name that only such a line has beside it.
  private static let reportLines: [(type: [UInt8], name: [UInt8])] = [
    ("store", "schema"), ("finding", "severity"), ("comparison", "retyped"),
    ("difference", "key_hex"),
    ("conversion", "losses"), ("calibration", "omitted"), ("crashes", "cause"),
  ].map { (Array("\"type\":\"\($0)\"".utf8), Array("\"\($1)\":".utf8)) }
  /// What a file of types begins with.
  private static let typesStart = Array("\"kvfsck\": \"types\"".utf8)

  /// What `image` is, with its article, if kvfsck wrote it and does not read it again; `nil` for all
  /// else.
  ///
  /// Such are the tables of `convert`, JSON reports, and what a repair has set aside.
  /// A text that leads to no record by accident alone would be read as a damaged store otherwise.
  public static func ownOutput(_ image: FileImage, named name: String) -> String? {
    let start = image.bytes(in: 0..<min(1 << 16, image.count))
    if let own = ownSignatures.first(where: { start.starts(with: $0.bytes) }) { return own.name }
    let line = start.prefix { $0 != UInt8(ascii: "\n") }
    guard line.first == UInt8(ascii: "{") else { return nil }
    if start.prefix(64).firstRange(of: typesStart) != nil {
      return "a file of types, which convert takes with --types"
    }
    let isReport = reportLines.contains { known in
      line.firstRange(of: known.type) != nil && line.firstRange(of: known.name) != nil
    }
    guard isReport else { return nil }
    return name.contains(".lost-and-found")
      ? "a lost-and-found file, which has what a repair of kvfsck has set aside"
      : "a JSON report of kvfsck"
  }

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
