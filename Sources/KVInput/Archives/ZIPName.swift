import KVBytes

/// The name of a member in one of the two headers that a ZIP archive has for it.
///
/// Reference: APPNOTE.TXT of PKWARE, § 4.3.7, § 4.4 and § 4.6.9.
struct ZIPName {
  /// The bytes in the field for the name.
  let stored: [UInt8]
  /// The name that is meant: that of the extra field for a name in UTF-8, if there is one, and with
  /// slashes if a program for DOS or Windows has stored it with backslashes only.
  let meant: [UInt8]

  /// Creates the name `stored` in a header with the field `extra`, written on `system`.
  init(_ stored: [UInt8], _ extra: [UInt8], system: UInt8) {
    self.stored = stored
    let unicode = extra.isEmpty ? nil : Self.unicode(extra, of: stored)
    // A name ends at a zero byte, as for other programs.
    let name = Array((unicode ?? stored).prefix { $0 != 0 })
    let backslash = UInt8(ascii: "\\")
    let slash = UInt8(ascii: "/")
    // In encodings of East Asia, the second byte of a letter may be that of a backslash.
    guard Self.systemsWithBackslash.contains(system), name.contains(backslash),
      !name.contains(slash), name.storageSpan.isUTF8
    else {
      meant = name
      return
    }
    meant = name.map { $0 == backslash ? slash : $0 }
  }

  /// The systems of DOS and Windows, by which a header is made.
  private static let systemsWithBackslash: [UInt8] = [0, 10, 11]
  /// The size of the header before the bytes of a member, without the name and what follows it.
  private static let headerCount = 30
  static let signature = Array("PK\u{3}\u{4}".utf8)
  /// The numbers of bytes that are searched at a time for a header, first and later.
  private static let searchCounts = (first: 1 << 9, later: 1 << 16)

  /// Reads the name in the header at `offset` of `input`; `nil` if there is no header.
  ///
  /// It is read in one piece if it has no more than `count` bytes.
  init?(_ input: ArchiveInput, headerAt offset: Int, expecting count: Int) {
    let size = Self.headerCount
    var header = input.bytes(at: offset, count: size + count)
    guard header.count >= size, header.starts(with: Self.signature) else { return nil }
    let nameCount = Self.number(header, at: 26, count: 2)
    let extraCount = Self.number(header, at: 28, count: 2)
    if header.count < size + nameCount + extraCount {
      header = input.bytes(at: offset, count: size + nameCount + extraCount)
    }
    guard header.count >= size + nameCount else { return nil }
    self.init(
      Array(header[size..<size + nameCount]), Array(header[(size + nameCount)...]),
      system: header[5])
  }

  /// Reads the name in the first header of `input` that is at `offset` or later.
  init?(_ input: ArchiveInput, inHeaderFrom offset: Int) {
    var (start, count) = (offset, Self.searchCounts.first)
    while true {
      let bytes = input.bytes(at: start, count: count)
      if let place = bytes.firstRange(of: Self.signature)?.lowerBound {
        self.init(input, headerAt: start + place, expecting: 256)
        return
      }
      guard bytes.count == count else { return nil }
      start += bytes.count - Self.signature.count + 1
      count = Self.searchCounts.later
    }
  }

  /// Returns whether `name`, which the library may have converted, can be this name.
  ///
  /// In the locale that it is called with, the library keeps ASCII only.
  func mayBe(_ name: [UInt8]) -> Bool {
    name.isEmpty || Self.isConverted(name) || name == meant
      || name.last == UInt8(ascii: "/") && name.dropLast() == meant[...]
  }

  /// Returns whether `name` may have lost letters when the library converted it.
  static func isConverted(_ name: [UInt8]) -> Bool {
    name.contains { $0 == UInt8(ascii: "?") || $0 >= 0x80 }
  }

  /// Whether the name says what the member is called: not if it is empty, or in another encoding than
  /// UTF-8, which the name in the directory may be in.
  var isClaim: Bool { !meant.isEmpty && meant.storageSpan.isUTF8 }

  /// Returns whether `other` is the same name, written in the same way or with backslashes.
  func isSame(as other: ZIPName) -> Bool {
    func plain(_ name: [UInt8]) -> [UInt8] {
      let name = name.starts(with: "./".utf8) ? Array(name.dropFirst(2)) : name
      return name.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
    }
    return stored == other.stored || plain(meant) == plain(other.meant)
  }

  // MARK: Fields

  /// Returns the name in UTF-8 in the field `extra`, if it is that of the name `stored`.
  private static func unicode(_ extra: [UInt8], of stored: [UInt8]) -> [UInt8]? {
    guard let field = field(0x7075, in: extra), field.count > 5, field.first == 1 else {
      return nil
    }
    let image = FileImage(stored)
    guard number(Array(field), at: 1, count: 4) == CRC32.digest(of: image, in: image.range) else {
      return nil
    }
    return Array(field.dropFirst(5))
  }

  /// Returns the content of the first field of `extra` with the given `id`; `nil` if there is none.
  static func field(_ id: Int, in extra: [UInt8]) -> ArraySlice<UInt8>? {
    var place = 0
    while extra.count - place >= 4 {
      let count = number(extra, at: place + 2, count: 2)
      if number(extra, at: place, count: 2) == id, extra.count - place - 4 >= count {
        return extra[place + 4..<place + 4 + count]
      }
      place += 4 + count
    }
    return nil
  }

  /// Returns the little-endian number at `offset`; the largest `Int` if it is larger.
  static func number(_ bytes: [UInt8], at offset: Int, count: Int) -> Int {
    let number = bytes[offset..<offset + count].reversed().reduce(UInt64(0)) {
      $0 << 8 | UInt64($1)
    }
    return Int(exactly: number) ?? .max
  }
}
