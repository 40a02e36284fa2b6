/// What the first bytes of data say that it is: the formats that apps put into values.
struct ContentType {
  /// The name, with an article, for people.
  let name: String

  private static let signatures: [(bytes: [UInt8], name: String)] = [
    ([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], "a PNG image"),
    ([0xff, 0xd8, 0xff], "a JPEG image"), (Array("GIF8".utf8), "a GIF image"),
    ([0x1f, 0x8b, 0x08], "gzip data"), ([0x28, 0xb5, 0x2f, 0xfd], "Zstandard data"),
    ([0x78, 0x9c], "zlib data"), ([0x78, 0xda], "zlib data"), ([0x78, 0x01], "zlib data"),
    (Array("PK\u{3}\u{4}".utf8), "a ZIP archive"), (Array("%PDF-".utf8), "a PDF document"),
    (Array("SQLite format 3\0".utf8), "an SQLite database"), (Array("OggS".utf8), "Ogg media"),
    (Array("fLaC".utf8), "FLAC audio"), (Array("ID3".utf8), "MP3 audio"),
    (Array("wOF2".utf8), "a font"), ([0x00, 0x61, 0x73, 0x6d], "WebAssembly"),
  ]

  /// The type of `content`; `nil` if nothing says one.
  init?(of content: Span<UInt8>) {
    for signature in Self.signatures where Self.begins(content, with: signature.bytes, at: 0) {
      name = signature.name
      return
    }
    if Self.begins(content, with: Array("RIFF".utf8), at: 0), content.count >= 12 {
      name = Self.begins(content, with: Array("WEBP".utf8), at: 8) ? "a WebP image" : "RIFF media"
    } else if Self.begins(content, with: Array("ftyp".utf8), at: 4) {
      name = "ISO media"
    } else if Self.isMessage(content, from: 1...16) {
      name = "a message of Protocol Buffers"
    } else {
      return nil
    }
  }

  private static func begins(
    _ content: Span<UInt8>, with signature: [UInt8], at start: Int
  ) -> Bool {
    guard content.count >= start + signature.count else { return false }
    return signature.indices.allSatisfy { content[start + $0] == signature[$0] }
  }

  /// Whether `content` is whole fields of a message of Protocol Buffers, the numbers of which do not
  /// decrease, from one of `first` on.
  ///
  /// - Complexity: O(fields), without a look into those with a length.
  static func isMessage(_ content: Span<UInt8>, from first: ClosedRange<UInt64>) -> Bool {
    guard content.count >= 4 else { return false }
    var offset = 0
    var last = first.lowerBound
    while offset < content.count {
      guard let (tag, start) = content.minimalVarint(at: offset), case let number = tag >> 3,
        number >= last, offset == 0 ? first.contains(number) : number <= last + 16
      else { return false }
      last = number
      switch tag & 7 {
      case 0:
        guard let (_, end) = content.minimalVarint(at: start) else { return false }
        offset = end
      case 1: offset = start + 8
      case 5: offset = start + 4
      case 2:
        guard let (length, first) = content.minimalVarint(at: start),
          let count = Int(exactly: length), count <= content.count - first
        else { return false }
        offset = first + count
      default: return false
      }
    }
    return offset == content.count
  }
}
