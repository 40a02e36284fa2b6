import KVBytes
import KVModel
import KVSystem

/// Compares the beginnings of what may be a log with checksums, each longer than the one before.
struct LogComparison {
  private let window: CarvingWindow
  /// Where the file begins in the source, and in the bytes.
  private let offset: Int
  private var base: Int
  private var image: FileImage
  private var position: Int
  private var digest = CRC32()

  /// Creates a comparison of the file that begins at `start` of `window`.
  init(_ window: CarvingWindow, at start: Int) {
    self.window = window
    offset = window.start + start
    base = start
    image = window.image
    position = start + DataHeader.byteCount
  }

  /// Whether a sector of zeros follows what was compared.
  var isAtZeros: Bool {
    let next = position..<position + CarvingWindow.sectorCount
    return next.upperBound <= image.count && image.isZero(in: next)
  }

  /// Returns the number of bytes to read for a log of `size` bytes.
  func cost(of size: Int) -> Int { base + DataHeader.byteCount + size - position }

  /// Returns the checksum of the first `size` bytes of the log; `nil` if the source ends before.
  mutating func checksum(of size: Int) throws(FileError) -> UInt32? {
    let count = DataHeader.byteCount + size
    if base + count > image.count, offset + count <= window.source.count {
      image = try window.bytes(at: offset, count: 2 * count)
      (position, base) = (position - base, 0)
    }
    guard base + count <= image.count else { return nil }
    var digest = digest
    digest.update(image.storageSpan, in: position..<base + count)
    self.digest = digest
    position = base + count
    return digest.value
  }

  /// Whether bytes that are not zero are followed by zeros where the last comparison ended.
  var endsBeforeZeros: Bool { Self.endsBeforeZeros(image, at: position) }

  /// Returns whether bytes of `image` up to `end` that are not zero are followed by zeros.
  static func endsBeforeZeros(_ image: FileImage, at end: Int) -> Bool {
    let next = end..<min(end + 16, image.count)
    return next.count >= 8 && image.isZero(in: next) && !image.isZero(in: end - 2..<end)
  }
}
