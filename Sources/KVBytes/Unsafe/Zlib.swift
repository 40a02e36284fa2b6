import CChecksum
import CZlib

/// Checksums computed by zlib, or by faster code where the processor supports it.
enum Zlib {
  /// Returns the CRC-32 of `range` of `bytes`, continued from `seed`; the same value as zlib's
  /// `crc32_z`.
  static func crc32(_ seed: UInt32, _ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt32 {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
    return unsafe bytes.withUnsafeBufferPointer { buffer in
      // Given a null pointer, zlib returns the initial value, whatever the seed.
      guard let base = buffer.baseAddress else { return seed }
      let start = unsafe base + range.lowerBound
      if range.count >= 16, kvfsck_crc32_folds() {
        return unsafe kvfsck_crc32_fold(seed, start, range.count)
      }
      return UInt32(truncatingIfNeeded: unsafe CZlib.crc32_z(uLong(seed), start, range.count))
    }
  }
}
