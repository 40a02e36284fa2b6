import KVBytes

/// An XML document in UTF-8, whatever encoding its file has.
///
/// Reference: `encodingForXMLData` of CoreFoundation, and appendix F of XML 1.0.
struct DecodedXML {
  /// The document in UTF-8, which may begin with a byte order mark.
  let utf8: FileImage
  /// The encoding that the declaration states, if it is not known.
  let unknownEncoding: String?
  /// Whether the document is in units of two or four bytes without a byte order mark, which
  /// CoreFoundation does not read.
  let lacksMark: Bool
  /// The first bytes that are no character of another encoding than UTF-8.
  private(set) var undecoded: Range<Int>?
  /// For each byte of ``utf8``, the offset of its character in the file, and at last the end; empty
  /// if both are the same.
  private let fileOffsets: [UInt32]

  /// Decodes `image`, whose encoding `dialect` may limit.
  init(_ image: FileImage, _ dialect: XMLDialect) {
    guard dialect.hasEncodings else {
      self.init(utf8: image)
      return
    }
    if let unit = Self.unit(image) {
      // A shell that redirects UTF-8 makes a unit of each byte. Its text is that of no file.
      guard !Self.areBytes(in: image, unit) else {
        self.init(utf8: image)
        return
      }
      self.init(image, from: unit.skipping, lacksMark: unit.skipping == 0) {
        Self.scalar(in: image, at: $0, unit)
      }
      return
    }
    let name = Self.declaredEncoding(image)
    // As for CoreFoundation, marks of ASCII in a name make no difference.
    switch name?.filter({ !$0.isASCII || $0.isLetter || $0.isNumber }) {
    case nil, "utf8": self.init(utf8: image)
    case "iso88591", "latin1", "usascii", "ascii":
      self.init(image, from: 0) { (UInt32(image[$0]), 1) }
    case "windows1252", "cp1252":
      self.init(image, from: 0) { (Self.windows1252(image[$0]), 1) }
    case _?: self.init(utf8: image, unknownEncoding: name)
    }
  }

  private init(utf8: FileImage, unknownEncoding: String? = nil) {
    self.utf8 = utf8
    self.unknownEncoding = unknownEncoding
    lacksMark = false
    fileOffsets = []
  }

  /// Decodes the characters from `start` on; `scalar` returns the one at an offset, and its length.
  private init(
    _ image: FileImage, from start: Int, lacksMark: Bool = false,
    _ scalar: (Int) -> (value: UInt32, count: Int)
  ) {
    var bytes: [UInt8] = []
    var offsets: [UInt32] = []
    var offset = start
    while offset < image.count {
      let (value, count) = scalar(offset)
      // The bytes of half of a surrogate pair are not UTF-8, so the reader stops there.
      let encoded = Self.utf8(value)
      if undecoded == nil, encoded == Self.noCharacter {
        undecoded = offset..<min(offset + count, image.count)
      }
      bytes += encoded
      offsets += repeatElement(UInt32(offset), count: encoded.count)
      offset += count
    }
    utf8 = FileImage(bytes)
    unknownEncoding = nil
    self.lacksMark = lacksMark
    fileOffsets = offsets + [UInt32(image.count)]
  }

  /// Returns the offset in the file of the byte at `position` of ``utf8``.
  func fileOffset(of position: Int) -> Int {
    guard !fileOffsets.isEmpty else { return position }
    return Int(fileOffsets[min(position, fileOffsets.count - 1)])
  }

  // MARK: Encodings

  /// An encoding in units of two or four bytes.
  private struct Unit {
    let width: Int
    let isBigEndian: Bool
    /// The length of the byte order mark.
    let skipping: Int
  }

  private static func unit(_ image: FileImage) -> Unit? {
    let start = image.bytes(in: 0..<min(4, image.count))
    guard start.count == 4 else { return nil }
    switch (start[0], start[1], start[2], start[3]) {
    case (0, 0, 0xfe, 0xff): return Unit(width: 4, isBigEndian: true, skipping: 4)
    case (0xff, 0xfe, 0, 0): return Unit(width: 4, isBigEndian: false, skipping: 4)
    case (0xff, 0xfe, _, _): return Unit(width: 2, isBigEndian: false, skipping: 2)
    case (0xfe, 0xff, _, _): return Unit(width: 2, isBigEndian: true, skipping: 2)
    case (0x3c, 0, 0, 0): return Unit(width: 4, isBigEndian: false, skipping: 0)
    case (0, 0, 0, 0x3c): return Unit(width: 4, isBigEndian: true, skipping: 0)
    case (0x3c, 0, _, 0): return Unit(width: 2, isBigEndian: false, skipping: 0)
    case (0, 0x3c, 0, _): return Unit(width: 2, isBigEndian: true, skipping: 0)
    default: return nil
    }
  }

  /// Returns whether the units of `image` are the bytes of a text in UTF-8 with other characters than
  /// those of ASCII.
  private static func areBytes(in image: FileImage, _ unit: Unit) -> Bool {
    guard unit.width == 2 else { return false }
    var bytes: [UInt8] = []
    var offset = unit.skipping
    while offset < image.count {
      let value = scalar(in: image, at: offset, unit).value
      guard value < 0x100 else { return false }
      bytes.append(UInt8(value))
      offset += 2
    }
    return bytes.contains { $0 >= 0x80 } && String(utf8: bytes) != nil
  }

  /// Returns the character at `offset`, and its length; the last one may be cut.
  private static func scalar(
    in image: FileImage, at offset: Int, _ unit: Unit
  ) -> (value: UInt32, count: Int) {
    func number(at offset: Int) -> UInt32 {
      let range = offset..<min(offset + unit.width, image.count)
      let bytes = image.bytes(in: range)
      return (unit.isBigEndian ? bytes : bytes.reversed()).reduce(0) { $0 << 8 | UInt32($1) }
    }
    // A cut unit is no character.
    guard image.count - offset >= unit.width else { return (.max, unit.width) }
    let first = number(at: offset)
    guard unit.width == 2, (0xd800..<0xdc00).contains(first), image.count - offset >= 4 else {
      return (first, unit.width)
    }
    let second = number(at: offset + 2)
    guard (0xdc00..<0xe000).contains(second) else { return (first, unit.width) }
    return (0x1_0000 + (first - 0xd800) << 10 + (second - 0xdc00), 4)
  }

  /// What stands in UTF-8 for bytes that are no character.
  private static let noCharacter: [UInt8] = [0xff]

  /// Returns `value` in UTF-8; for a number that is not a character, bytes that are not UTF-8.
  private static func utf8(_ value: UInt32) -> [UInt8] {
    guard let scalar = Unicode.Scalar(value) else { return noCharacter }
    return Array(String(scalar).utf8)
  }

  /// The characters that windows-1252 has in place of the control characters 0x80 to 0x9f of Latin-1;
  /// 0 for none.
  private static let windowsCharacters: [UInt32] = [
    0x20ac, 0, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039,
    0x0152, 0, 0x017d, 0, 0, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122,
    0x0161, 0x203a, 0x0153, 0, 0x017e, 0x0178,
  ]

  private static func windows1252(_ byte: UInt8) -> UInt32 {
    let other = (0x80..<0xa0).contains(byte) ? windowsCharacters[Int(byte) - 0x80] : 0
    return other > 0 ? other : UInt32(byte)
  }

  /// Returns the encoding that the declaration states, in lowercase; `nil` if it states none.
  ///
  /// As CoreFoundation, it is in quotes right behind `encoding=`.
  private static func declaredEncoding(_ image: FileImage) -> String? {
    let bytes = image.bytes(in: 0..<min(1024, image.count))
    guard bytes.starts(with: "<?xml".utf8),
      let end = bytes.dropFirst(2).firstIndex(where: { "?>".utf8.contains($0) })
    else { return nil }
    let mark = Array("encoding=".utf8)
    guard let start = bytes[..<end].firstRange(of: mark)?.upperBound,
      let quote = bytes[start...].first, "\"'".utf8.contains(quote)
    else { return nil }
    // The end of the declaration does not end the name.
    let rest = bytes[(start + 1)...]
    return rest.firstIndex(of: quote).map {
      String(decoding: rest[..<$0], as: UTF8.self).lowercased()
    }
  }
}
