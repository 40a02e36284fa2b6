import KVBytes
import KVCryptography

/// A block of noise within a text, as one changed byte of ciphertext leaves it.
///
/// With the feedback of CFB a change spoils its own bit, and the whole block after it. The engine's
/// prefix is stored again with every full rewrite; where an app is killed then, the block after it is
/// spoilt, in what else decodes.
enum GarbledBlock {
  /// How many bytes of the block are no text, at least: of noise, ten are.
  private static let noiseCount = 4
  /// How many bytes of the value are text, at least.
  private static let textCount = 16

  /// Whether there is one in the value at `range` of the decrypted data file `image`, and all that is
  /// outside it and the block before it is text.
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

  /// Where the bytes are that are no text; no more of them than two blocks have.
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
