/// The type of a file that an app has stored in a value, according to the file's first bytes.
///
/// This is a table of well-known signatures, not a complete library. Data without a signature is
/// not guessed at.
package struct MediaType: Sendable {
  /// The name, with an article, for people.
  package let name: String
  /// The media type, as registered with IANA or as commonly used by programs.
  package let type: String

  /// Bytes at an offset from the beginning.
  private struct Part: Sendable {
    let offset: Int
    let bytes: [UInt8]

    init(_ bytes: [UInt8], at offset: Int = 0) {
      self.offset = offset
      self.bytes = bytes
    }

    init(_ text: String, at offset: Int = 0) { self.init(Array(text.utf8), at: offset) }

    func matches(_ content: Span<UInt8>) -> Bool {
      guard content.count >= offset + bytes.count else { return false }
      return bytes.indices.allSatisfy { content[offset + $0] == bytes[$0] }
    }
  }

  /// The first bytes of a kind of file; all parts must be present.
  ///
  /// If several signatures match, the first one in the table is used.
  private typealias Signature = (name: String, type: String, parts: [Part])

  private static let signatures: [Signature] = images + sound + films + packed + others

  /// The offsets at which the first part of a signature lies.
  private static let offsets = Set(signatures.map { $0.parts[0].offset }).sorted()

  /// For each of the offsets, 256 times: the signatures by the first byte of their first part, as
  /// indices of the table.
  private static let byFirstByte: [[Int]] = {
    var table = [[Int]](repeating: [], count: offsets.count << 8)
    for (index, signature) in signatures.enumerated() {
      let first = signature.parts[0]
      guard let place = offsets.firstIndex(of: first.offset) else { continue }
      table[place << 8 | Int(first.bytes[0])].append(index)
    }
    return table
  }()

  private static let images: [Signature] = [
    ("a PNG image", "image/png", [Part([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])]),
    ("a JPEG image", "image/jpeg", [Part([0xff, 0xd8, 0xff])]),
    ("a GIF image", "image/gif", [Part("GIF8")]),
    ("a WebP image", "image/webp", [Part("RIFF"), Part("WEBP", at: 8)]),
    ("a HEIC image", "image/heic", [Part("ftyphe", at: 4)]),
    ("a HEIC image", "image/heic", [Part("ftypmif1", at: 4)]),
    ("an AVIF image", "image/avif", [Part("ftypavi", at: 4)]),
    ("a TIFF image", "image/tiff", [Part([0x49, 0x49, 0x2a, 0x00])]),
    ("a TIFF image", "image/tiff", [Part([0x4d, 0x4d, 0x00, 0x2a])]),
    // Two letters alone would match by chance, so the reserved header bytes must be zero, too.
    ("a BMP image", "image/bmp", [Part("BM"), Part([0, 0, 0, 0], at: 6)]),
    (
      "an icon", "image/vnd.microsoft.icon",
      [Part([0, 0, 1, 0]), Part([0], at: 5), Part([0, 1, 0], at: 9)]
    ),
    ("a Photoshop image", "image/vnd.adobe.photoshop", [Part("8BPS\0\u{1}")]),
    ("a JPEG XL image", "image/jxl", [Part("\0\0\0\u{c}JXL \r\n"), Part([0x87, 0x0a], at: 10)]),
    ("a JPEG 2000 image", "image/jp2", [Part("\0\0\0\u{c}jP  \r\n"), Part([0x87, 0x0a], at: 10)]),
    ("a DDS texture", "image/vnd-ms.dds", [Part("DDS |\0\0\0")]),
    ("a KTX texture", "image/ktx", [Part([0xab, 0x4b, 0x54, 0x58, 0x20, 0x31, 0x31, 0xbb])]),
  ]

  private static let sound: [Signature] = [
    ("Ogg media", "application/ogg", [Part("OggS")]),
    ("FLAC audio", "audio/flac", [Part("fLaC")]),
    ("MP3 audio", "audio/mpeg", [Part("ID3")]),
    ("WAVE audio", "audio/wav", [Part("RIFF"), Part("WAVE", at: 8)]),
    ("AIFF audio", "audio/aiff", [Part("FORM"), Part("AIF", at: 8)]),
    ("MPEG-4 audio", "audio/mp4", [Part("ftypM4A ", at: 4)]),
    ("MPEG-4 audio", "audio/mp4", [Part("ftypM4B ", at: 4)]),
    ("Core Audio", "audio/x-caf", [Part("caff\0\u{1}")]),
    ("AMR audio", "audio/amr", [Part("#!AMR")]),
    ("a MIDI file", "audio/midi", [Part("MThd\0\0\0\u{6}")]),
  ]

  private static let films: [Signature] = [
    ("a QuickTime video", "video/quicktime", [Part("ftypqt  ", at: 4)]),
    ("a 3GPP video", "video/3gpp", [Part("ftyp3g", at: 4)]),
    // Other brands of the ISO base media file format.
    ("an MP4 video", "video/mp4", [Part("ftyp", at: 4)]),
    ("an AVI video", "video/x-msvideo", [Part("RIFF"), Part("AVI ", at: 8)]),
    ("a Matroska or WebM video", "video/x-matroska", [Part([0x1a, 0x45, 0xdf, 0xa3])]),
    ("a Flash video", "video/x-flv", [Part("FLV\u{1}")]),
    (
      "Windows Media", "video/x-ms-asf", [Part([0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11])]
    ),
    ("an MPEG video", "video/mpeg", [Part([0x00, 0x00, 0x01, 0xba])]),
  ]

  private static let packed: [Signature] = [
    ("gzip data", "application/gzip", [Part([0x1f, 0x8b, 0x08])]),
    ("Zstandard data", "application/zstd", [Part([0x28, 0xb5, 0x2f, 0xfd])]),
    ("LZ4 data", "application/x-lz4", [Part([0x04, 0x22, 0x4d, 0x18])]),
    ("zlib data", "application/zlib", [Part([0x78, 0x9c])]),
    ("zlib data", "application/zlib", [Part([0x78, 0xda])]),
    ("zlib data", "application/zlib", [Part([0x78, 0x01])]),
    ("a ZIP archive", "application/zip", [Part("PK\u{3}\u{4}")]),
    ("an empty ZIP archive", "application/zip", [Part("PK\u{5}\u{6}")]),
    ("a 7z archive", "application/x-7z-compressed", [Part([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c])]),
    ("a RAR archive", "application/vnd.rar", [Part("Rar!\u{1a}\u{7}")]),
    ("xz data", "application/x-xz", [Part([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00])]),
    ("bzip2 data", "application/x-bzip2", [Part("BZh"), Part("1AY&SY", at: 4)]),
    ("a TAR archive", "application/x-tar", [Part("ustar", at: 257)]),
    ("a cabinet", "application/vnd.ms-cab-compressed", [Part("MSCF\0\0\0\0")]),
    ("an ar archive", "application/x-archive", [Part("!<arch>\n")]),
  ]

  private static let others: [Signature] = [
    ("a PDF document", "application/pdf", [Part("%PDF-")]),
    (
      "an Office document before 2007", "application/x-ole-storage",
      [Part([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])]
    ),
    ("an SQLite database", "application/vnd.sqlite3", [Part("SQLite format 3\0")]),
    ("a Realm database", "application/x-realm", [Part("T-DB", at: 16)]),
    ("an Access database", "application/x-msaccess", [Part("\0\u{1}\0\0Standard ")]),
    ("a font", "font/woff2", [Part("wOF2")]),
    ("a font", "font/woff", [Part("wOFF")]),
    ("a font", "font/otf", [Part("OTTO\0")]),
    ("a font", "font/collection", [Part("ttcf\0")]),
    // The header's search range is that of 8 to 15 tables, or of 16 to 31.
    ("a font", "font/ttf", [Part([0, 1, 0, 0, 0]), Part([0x00, 0x80], at: 6)]),
    ("a font", "font/ttf", [Part([0, 1, 0, 0, 0]), Part([0x01, 0x00], at: 6)]),
    ("an ELF program", "application/x-elf", [Part([0x7f, 0x45, 0x4c, 0x46])]),
    ("a Mach-O program", "application/x-mach-binary", [Part([0xcf, 0xfa, 0xed, 0xfe])]),
    ("a Mach-O program", "application/x-mach-binary", [Part([0xce, 0xfa, 0xed, 0xfe])]),
    (
      "a Windows program", "application/vnd.microsoft.portable-executable",
      [Part("MZ"), Part([0, 3, 0, 0, 0], at: 3)]
    ),
    ("an Android program", "application/vnd.android.dex", [Part("dex\n0")]),
    ("a Java class", "application/java-vm", [Part([0xca, 0xfe, 0xba, 0xbe, 0x00, 0x00, 0x00])]),
    ("WebAssembly", "application/wasm", [Part([0x00, 0x61, 0x73, 0x6d])]),
  ]

  /// Creates the type of `content`, whose first 512 bytes are enough; returns `nil` if no signature
  /// matches.
  package init?(of content: Span<UInt8>) {
    var first = Int.max
    for place in Self.offsets.indices where Self.offsets[place] < content.count {
      let byte = content[Self.offsets[place]]
      for index in Self.byFirstByte[place << 8 | Int(byte)] where index < first {
        // A closure cannot capture a span.
        var matches = true
        for part in Self.signatures[index].parts where !part.matches(content) { matches = false }
        if matches { first = index }
      }
    }
    guard first < Int.max else { return nil }
    name = Self.signatures[first].name
    type = Self.signatures[first].type
  }
}
