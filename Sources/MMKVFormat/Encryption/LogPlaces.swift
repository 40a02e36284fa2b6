import KVBytes
import KVCryptography

/// Places along an encrypted log, by any of which a key can be told from others.
///
/// Each block is decrypted by the one before it, so none of them needs the vector, nor the records
/// before it.
struct LogPlaces {
  /// The largest number of places.
  private static let limit = 8
  /// The number of text bytes in a row that are no coincidence.
  private static let textCount = 16
  /// The number of bytes of keys that are no coincidence, in one, two and three records.
  private static let keyCounts = [12, 6, 3]
  /// The number of bytes in which the records at a place begin.
  private static let searchCount = 1 << 16

  private let starts: [Int]
  private let count: Int

  /// Creates places along a log of `count` bytes.
  init(_ count: Int) {
    self.count = count
    let blocks = count / Cryptography.blockCount - 1
    let partBlocks = CFBTrial.partCount / Cryptography.blockCount
    let number = max(0, min(Self.limit, (blocks + partBlocks - 1) / partBlocks))
    starts = (0..<number).map { (1 + $0 * blocks / number) * Cryptography.blockCount }
  }

  /// Returns the first place at which there seem to be records, decrypted with the key of `trial`;
  /// `nil` if there is none.
  func first(where trial: inout CFBTrial) -> Int? {
    for start in starts {
      trial.decrypt(from: start)
      if Self.seemsWritten(trial.clear.storageSpan, min(CFBTrial.partCount, count - start)) {
        return start
      }
    }
    return nil
  }

  /// Returns whether the first `count` of `bytes` hold text, or the keys of records.
  ///
  /// Of random bytes, about 3 in 100,000 do.
  private static func seemsWritten(_ bytes: Span<UInt8>, _ count: Int) -> Bool {
    // From the end, so that the number of text bytes after each offset is known.
    var rest = 0
    for offset in (0..<count).reversed() {
      let byte = bytes[offset]
      if byte > 0, byte <= rest, mayBeKeys(bytes, from: offset, count) { return true }
      rest = isText(byte) ? rest + 1 : 0
      if rest >= textCount { return true }
    }
    return false
  }

  /// Returns whether records with text keys begin at `start`, as far as the bytes go.
  private static func mayBeKeys(_ bytes: Span<UInt8>, from start: Int, _ count: Int) -> Bool {
    var offset = start
    var keyCount = 0
    for least in keyCounts {
      guard offset < count else { return false }
      let end = offset + 1 + Int(bytes[offset])
      guard end > offset + 1, end < count else { return false }
      for place in offset + 1..<end where !isText(bytes[place]) { return false }
      keyCount += end - offset - 1
      if keyCount >= least { return true }
      guard bytes[end] < 0x80 else { return false }
      offset = end + 1 + Int(bytes[end])
    }
    return false
  }

  private static func isText(_ byte: UInt8) -> Bool { byte &- 0x20 < 0x5f }

  /// Returns the evidence for a key in the first records from `place` on, in bits; `nil` if there are
  /// none.
  ///
  /// `image` is the data file, decrypted with the key, and `log` the log in it. Where the records
  /// begin and end are free choices.
  func bits(at place: Int, of log: Range<Int>, in image: FileImage) -> Double? {
    var offset = log.lowerBound + place
    let end = min(log.upperBound, offset + Self.searchCount)
    var best: Double?
    while offset < end {
      let run = RecordRun(at: offset, of: image, upTo: log.upperBound)
      if let run { best = max(best ?? run.bits, run.bits) }
      offset = run?.range.upperBound ?? offset + 1
    }
    return best.map { $0 - Logarithm.base2(Double(log.count)) }
  }
}
