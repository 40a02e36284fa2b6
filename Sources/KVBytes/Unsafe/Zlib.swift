import CChecksum
import CZlib
import Dispatch

/// Checksums computed by zlib, or by faster code where the processor supports it.
enum Zlib {
  /// The number of bytes from which two threads are faster than one.
  private static let largeCount = 4 << 20

  /// Returns the CRC-32 of `range` of `bytes`, continued from `seed`; the same value as zlib's
  /// `crc32_z`.
  static func crc32(_ seed: UInt32, _ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt32 {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
    return unsafe bytes.withUnsafeBufferPointer { buffer in
      let bytes = unsafe UnsafeBufferPointer(rebasing: buffer[range])
      return unsafe bytes.count < largeCount ? crc32(seed, bytes) : crc32InHalves(seed, bytes)
    }
  }

  /// Returns the index of the first of `ends` at which the CRC-32 of `bytes`, continued from `seed`
  /// at `start`, is `wanted`; `nil` if there is none.
  ///
  /// If there is none, `seed` becomes the CRC-32 up to the last end.
  ///
  /// - Precondition: `ends` ascend from `start` and lie within `bytes`.
  static func firstEnd(
    among ends: [Int], of bytes: Span<UInt8>, from start: Int, _ seed: inout UInt32,
    at wanted: UInt32
  ) -> Int? {
    // The faster code needs 16 bytes to begin with.
    let far = kvfsck_crc32_folds() ? ends.firstIndex { $0 - start >= 16 } : nil
    let near = ends[..<(far ?? ends.count)]
    var (digest, position) = (seed, start)
    for (index, end) in near.enumerated() {
      digest = crc32(digest, bytes, position..<end)
      position = end
      if digest == wanted { return index }
    }
    guard near.count < ends.count else {
      seed = digest
      return nil
    }
    precondition(start >= 0 && ends[ends.count - 1] <= bytes.count)
    precondition(zip(ends, ends.dropFirst()).allSatisfy { $0 <= $1 })
    return unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe ends[near.count...].withUnsafeBufferPointer { ends in
        guard let base = bytes.baseAddress, let first = ends.baseAddress else { return nil }
        let index = unsafe kvfsck_crc32_find(wanted, &seed, base, start, first, ends.count)
        return index < ends.count ? near.count + index : nil
      }
    }
  }

  private static func crc32(_ seed: UInt32, _ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
    // Given a null pointer, zlib returns the initial value, whatever the seed.
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return seed }
    if bytes.count >= 16, kvfsck_crc32_folds() {
      return unsafe kvfsck_crc32_fold(seed, start, bytes.count)
    }
    return UInt32(truncatingIfNeeded: unsafe CZlib.crc32_z(uLong(seed), start, bytes.count))
  }

  /// Returns the CRC-32 of bytes with the CRC-32 `first`, followed by `count` bytes with `second`.
  static func crc32(_ first: UInt32, followedBy second: UInt32, count: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: crc32_combine(uLong(first), uLong(second), numericCast(count)))
  }

  private static func crc32InHalves(
    _ seed: UInt32, _ bytes: UnsafeBufferPointer<UInt8>
  ) -> UInt32 {
    let count = bytes.count
    let middle = count / 2
    var digests: [UInt32] = [seed, 0]
    unsafe digests.withUnsafeMutableBufferPointer { buffer in
      // Each half changes its own digest.
      nonisolated(unsafe) let (bytes, digests) = unsafe (bytes, buffer)
      DispatchQueue.concurrentPerform(iterations: 2) { half in
        let part = half == 0 ? 0..<middle : middle..<count
        unsafe digests[half] = crc32(digests[half], UnsafeBufferPointer(rebasing: bytes[part]))
      }
    }
    return crc32(digests[0], followedBy: digests[1], count: count - middle)
  }
}
