/// What data is by its first bytes: the kinds of files that apps put into values.
///
/// A short list of signatures, and not a library for all that there is: a value is most often one of
/// these, and what has no signature is not guessed at.
package struct MediaType: Sendable {
  /// The name, with an article, for people.
  package let name: String
  /// The media type, as IANA registers it, or as programs call it.
  package let type: String

  private static let signatures: [(bytes: [UInt8], offset: Int, type: MediaType)] = [
    ([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], 0, MediaType("a PNG image", "image/png")),
    ([0xff, 0xd8, 0xff], 0, MediaType("a JPEG image", "image/jpeg")),
    (Array("GIF8".utf8), 0, MediaType("a GIF image", "image/gif")),
    ([0x49, 0x49, 0x2a, 0x00], 0, MediaType("a TIFF image", "image/tiff")),
    ([0x4d, 0x4d, 0x00, 0x2a], 0, MediaType("a TIFF image", "image/tiff")),
    ([0x1f, 0x8b, 0x08], 0, MediaType("gzip data", "application/gzip")),
    ([0x28, 0xb5, 0x2f, 0xfd], 0, MediaType("Zstandard data", "application/zstd")),
    ([0x78, 0x9c], 0, MediaType("zlib data", "application/zlib")),
    ([0x78, 0xda], 0, MediaType("zlib data", "application/zlib")),
    ([0x78, 0x01], 0, MediaType("zlib data", "application/zlib")),
    (Array("PK\u{3}\u{4}".utf8), 0, MediaType("a ZIP archive", "application/zip")),
    (Array("%PDF-".utf8), 0, MediaType("a PDF document", "application/pdf")),
    (
      Array("SQLite format 3\0".utf8), 0,
      MediaType("an SQLite database", "application/vnd.sqlite3")
    ),
    (Array("OggS".utf8), 0, MediaType("Ogg media", "application/ogg")),
    (Array("fLaC".utf8), 0, MediaType("FLAC audio", "audio/flac")),
    (Array("ID3".utf8), 0, MediaType("MP3 audio", "audio/mpeg")),
    (Array("wOF2".utf8), 0, MediaType("a font", "font/woff2")),
    ([0x00, 0x61, 0x73, 0x6d], 0, MediaType("WebAssembly", "application/wasm")),
    (Array("WEBP".utf8), 8, MediaType("a WebP image", "image/webp")),
    (Array("WAVE".utf8), 8, MediaType("WAVE audio", "audio/wav")),
    (Array("AVI ".utf8), 8, MediaType("an AVI video", "video/x-msvideo")),
  ]

  /// The brands of files in boxes, after `ftyp`; others are taken for MP4.
  private static let brands: [(brands: [String], type: MediaType)] = [
    (["heic", "heix", "heim", "heis", "hevc", "mif1"], MediaType("a HEIC image", "image/heic")),
    (["avif", "avis"], MediaType("an AVIF image", "image/avif")),
    (["qt  "], MediaType("a QuickTime video", "video/quicktime")),
    (["M4A ", "M4B "], MediaType("MPEG-4 audio", "audio/mp4")),
  ]

  private init(_ name: String, _ type: String) {
    self.name = name
    self.type = type
  }

  /// The type of `content`, of which the first bytes suffice; `nil` if no signature says one.
  package init?(of content: Span<UInt8>) {
    let isRIFF = Self.has(Array("RIFF".utf8), at: 0, content)
    for signature in Self.signatures
    where (signature.offset == 0 || isRIFF)
      && Self.has(signature.bytes, at: signature.offset, content)
    {
      self = signature.type
      return
    }
    guard Self.has(Array("ftyp".utf8), at: 4, content) else { return nil }
    let brand = Self.brands.first { known in
      known.brands.contains { Self.has(Array($0.utf8), at: 8, content) }
    }
    self = brand?.type ?? MediaType("an MP4 video", "video/mp4")
  }

  private static func has(_ bytes: [UInt8], at start: Int, _ content: Span<UInt8>) -> Bool {
    guard content.count >= start + bytes.count else { return false }
    return bytes.indices.allSatisfy { content[start + $0] == bytes[$0] }
  }
}
