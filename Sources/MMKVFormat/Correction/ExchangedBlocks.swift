import KVBytes
import KVModel

/// Pairs of disk blocks that changed places in a log, as its checksum shows.
///
/// A CRC is linear: what an exchange does to it follows from the checksums of the two blocks and their
/// distances to the end. No exchanged log is made.
struct ExchangedBlocks {
  /// The largest number of blocks of one size that are paired.
  private static let blockLimit = 128

  /// The exchanges that explain the checksum.
  let exchanges: [BlockExchange]
  /// The number of exchanges among which it chooses.
  let patternCount: Int

  /// Finds the exchanges of blocks of `image` from `start` on, among those that `log` spans, whose
  /// checksum is off by `syndrome`.
  ///
  /// - Complexity: O(size of the log), and O(*n*²) for up to 128 blocks of a size.
  init(_ image: FileImage, _ log: Range<Int>, from start: Int, _ syndrome: UInt32) {
    var found: [BlockExchange] = []
    var tried = 0
    for count in BlockExchange.sizes {
      let first = (start + count - 1) / count * count
      let last = min(log.upperBound - 1, image.count - count)
      let starts = Array(stride(from: first, through: last, by: count))
      guard starts.count <= Self.blockLimit else { continue }
      let blocks = Blocks(image, log, starts, count)
      for one in starts.indices {
        for other in starts.indices.dropFirst(one + 1) {
          tried += 1
          if blocks.effect(one, other) ^ blocks.effect(other, one) == syndrome, syndrome != 0 {
            found.append(BlockExchange(starts[one], starts[other], size: count))
          }
        }
      }
    }
    exchanges = found
    patternCount = tried
  }
}

/// The blocks of one size, and what the log's checksum covers of them.
private struct Blocks {
  private let image: FileImage
  private let log: Range<Int>
  private let starts: [Int]
  private let count: Int
  private let digests: [UInt32]

  init(_ image: FileImage, _ log: Range<Int>, _ starts: [Int], _ count: Int) {
    self.image = image
    self.log = log
    self.starts = starts
    self.count = count
    digests = starts.map { CRC32.digest(of: image, in: $0..<$0 + count) }
  }

  /// Returns what it does to the checksum if the bytes of `other` are in the place of `one`.
  func effect(_ one: Int, _ other: Int) -> UInt32 {
    let place = starts[one]..<starts[one] + count
    let covered = place.clamped(to: log)
    guard covered != place else {
      return CRC32.effect(digests[one] ^ digests[other], before: log.upperBound - place.upperBound)
    }
    // The first block begins with a header, and the last one can end in slack.
    let distance = starts[other] - starts[one]
    let moved = covered.lowerBound + distance..<covered.upperBound + distance
    return CRC32.effect(
      CRC32.digest(of: image, in: covered) ^ CRC32.digest(of: image, in: moved),
      before: log.upperBound - covered.upperBound)
  }
}
