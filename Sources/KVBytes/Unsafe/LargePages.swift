#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Memory in large pages: with small ones, most of the time that it takes to fill a large array goes into
/// getting them, and most of that to find something in it into finding its page.
package enum LargePages {
  /// The size of a large page, in bytes.
  private static let byteCount = 2 << 20

  /// Asks for large pages for `buffer`, which is about to be filled.
  ///
  /// The C function is `madvise`, on Linux; what comes of it changes nothing but the time.
  package static func prefer(for buffer: UnsafeMutableRawBufferPointer) {
    #if os(Linux)
      guard buffer.count >= 2 * byteCount, let base = buffer.baseAddress else { return }
      let start = unsafe base.alignedUp(toMultipleOf: byteCount)
      let count = unsafe (buffer.count - (start - base)) / byteCount * byteCount
      unsafe _ = madvise(start, count, CInt(MADV_HUGEPAGE))
    #endif
  }
}

extension Array {
  /// Makes room for `capacity` elements in all, in large pages.
  package mutating func reserveLargeCapacity(_ capacity: Int) {
    reserveCapacity(capacity)
    let whole = self.capacity * MemoryLayout<Element>.stride
    unsafe withUnsafeMutableBufferPointer { buffer in
      unsafe LargePages.prefer(
        for: UnsafeMutableRawBufferPointer(
          start: UnsafeMutableRawPointer(buffer.baseAddress), count: whole))
    }
  }
}

extension Array where Element == UInt64 {
  /// As many zeros as `count`, in large pages.
  package init(zerosInLargePages count: Int) {
    self = unsafe [UInt64](unsafeUninitializedCapacity: count) { buffer, filled in
      unsafe LargePages.prefer(for: UnsafeMutableRawBufferPointer(buffer))
      unsafe buffer.initialize(repeating: 0)
      filled = count
    }
  }
}

extension Array where Element == UInt8 {
  /// A copy of `bytes` with as many zeros after it as `zeroCount`, in large pages.
  package init(copyingIntoLargePages bytes: Span<UInt8>, zeroCount: Int = 0) {
    let count = bytes.count + zeroCount
    self = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      unsafe LargePages.prefer(for: UnsafeMutableRawBufferPointer(buffer))
      unsafe bytes.withUnsafeBufferPointer { unsafe _ = buffer.initialize(fromContentsOf: $0) }
      unsafe buffer[bytes.count...].initialize(repeating: 0)
      filled = count
    }
  }
}
