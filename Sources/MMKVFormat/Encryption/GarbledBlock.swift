import KVBytes
import KVCryptography

/// A block of noise within text, as one changed byte of ciphertext causes.
///
/// In CFB mode, a change affects its own bit and all of the next block. The engine writes the
/// prefix anew in every full rewrite; if the app is killed then, the next block is garbled, while
/// everything else decodes.
enum GarbledBlock {
  /// The least number of bytes of the block that are not text; ten of 16 bytes of noise are not.
  private static let noiseCount = 4
  /// The least number of bytes of the value that are text.
  private static let textCount = 16

  /// Returns whether the value at `range` in the decrypted data file `image` has such a block, and
  /// is text outside it and the block before it.
  static func isIn(_ range: Range<Int>, of image: FileImage) -> Bool {
    let size = Cryptography.blockCount
    let content = Plausibility.content(of: range, in: image)
    let noise = offsets(outsideTextOf: content, image)
    guard let first = noise.first, let last = noise.last else { return false }
    let number = (last - DataHeader.byteCount) / size
    let start = DataHeader.byteCount + number * size
    let block = start..<start + size
    return first >= start - size && content.clamped(to: block) == block
      && noise.count { $0 >= start } >= noiseCount
      && content.count - noise.count >= textCount
  }

  /// Returns the offsets of the bytes that are not text, at most about two blocks of them.
  private static func offsets(outsideTextOf range: Range<Int>, _ image: FileImage) -> [Int] {
    var offsets: [Int] = []
    var offset = range.lowerBound
    while offset < range.upperBound, offsets.count <= 2 * Cryptography.blockCount {
      let count = Plausibility.textCount(image.storageSpan, at: offset, limit: range.upperBound)
      if count == 0 { offsets.append(offset) }
      offset += max(count, 1)
    }
    return offsets
  }
}
