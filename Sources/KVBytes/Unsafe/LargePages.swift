import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Memory in large pages.
///
/// With small pages, filling a large array mostly waits for page faults, and random access to it
/// mostly for address translation.
package enum LargePages {
  /// The size of a large page, in bytes.
  private static let byteCount = 2 << 20

  /// The number of bytes that one thread fills at a time: enough to make starting it worthwhile.
  private static let partCount = 4 << 20

  /// Returns the parts in which an array of `count` bytes is filled: only one for a small array.
  static func parts(of count: Int) -> [Range<Int>] {
    guard count > 2 * partCount else { return [0..<count] }
    return stride(from: 0, to: count, by: partCount).map { $0..<min($0 + partCount, count) }
  }

  /// Requests large pages for `buffer`, which is about to be filled.
  ///
  /// The request covers the small pages at both ends too: the system gives large pages where whole
  /// ones fit into the memory around the buffer, which begins before it.
  ///
  /// The C functions are `madvise` and `sysconf`, on Linux; whether it succeeds affects only speed.
  package static func prefer(for buffer: UnsafeMutableRawBufferPointer) {
    #if os(Linux)
      guard buffer.count >= 2 * byteCount, let base = buffer.baseAddress else { return }
      let start = unsafe base.alignedDown(toMultipleOf: sysconf(CInt(_SC_PAGESIZE)))
      unsafe _ = madvise(start, buffer.count + (base - start), CInt(MADV_HUGEPAGE))
    #endif
  }
}

extension Array {
  /// Moves the elements to memory of their own, in large pages, with room for `capacity` in total.
  package mutating func moveIntoLargePages(capacity: Int) {
    var moved: [Element] = []
    moved.reserveCapacity(capacity)
    let whole = moved.capacity * MemoryLayout<Element>.stride
    // Before anything is written, because a page that has been written to stays small.
    unsafe moved.withUnsafeMutableBufferPointer { buffer in
      unsafe LargePages.prefer(
        for: UnsafeMutableRawBufferPointer(
          start: UnsafeMutableRawPointer(buffer.baseAddress), count: whole))
    }
    moved += self
    self = moved
  }
}

extension Array where Element == UInt32 {
  /// Creates an array of `count` zeros in large pages.
  package init(zerosInLargePages count: Int) {
    self = unsafe [UInt32](unsafeUninitializedCapacity: count) { buffer, filled in
      unsafe LargePages.prefer(for: UnsafeMutableRawBufferPointer(buffer))
      unsafe buffer.initialize(repeating: 0)
      filled = count
    }
  }
}

extension Array where Element == UInt8 {
  /// Creates an array of up to `count` bytes in large pages, filled by `fill`, which is given the
  /// memory for a range and the range.
  ///
  /// `fill` returns the number of bytes that it wrote from the start of its range. The array ends
  /// before the first byte that was not written. Large arrays are filled in parts on several
  /// threads, because most of the time goes into getting memory.
  package init<Failure: Error>(
    inLargePages count: Int,
    filledBy fill: @Sendable (UnsafeMutableRawBufferPointer, Range<Int>) throws(Failure) -> Int
  ) throws(Failure) {
    let parts = LargePages.parts(of: count)
    var outcomes = [Result<Int, Failure>](repeating: .success(0), count: parts.count)
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      // Each part writes to its own memory.
      nonisolated(unsafe) let whole = UnsafeMutableRawBufferPointer(buffer)
      unsafe LargePages.prefer(for: whole)
      unsafe outcomes.withUnsafeMutableBufferPointer { buffer in
        nonisolated(unsafe) let outcomes = unsafe buffer
        @Sendable func part(_ number: Int) {
          let memory = unsafe UnsafeMutableRawBufferPointer(rebasing: whole[parts[number]])
          unsafe outcomes[number] = Result { () throws(Failure) in
            unsafe try fill(memory, parts[number])
          }
        }
        if parts.count == 1 { return part(0) }
        DispatchQueue.concurrentPerform(iterations: parts.count, execute: part)
      }
      filled = 0
      for (part, outcome) in zip(parts, outcomes) {
        guard case .success(let written) = outcome else { break }
        filled += written
        if written < part.count { break }
      }
    }
    for outcome in outcomes { _ = try outcome.get() }
    self = bytes
  }

  /// Creates a copy of `bytes` followed by `zeroCount` zeros, in large pages.
  package init(copyingIntoLargePages bytes: Span<UInt8>, zeroCount: Int = 0) {
    let count = bytes.count
    self = unsafe bytes.withUnsafeBufferPointer { buffer in
      nonisolated(unsafe) let source = unsafe buffer
      return unsafe [UInt8](inLargePages: count + zeroCount) { part, range in
        let copied = range.clamped(to: 0..<count)
        unsafe part.copyBytes(from: source[copied])
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: part[copied.count...])
        unsafe _ = rest.initializeMemory(as: UInt8.self, repeating: 0)
        return range.count
      }
    }
  }

  /// Creates an array of `count` bytes in large pages from pieces that `make` returns for ranges of
  /// at most `pieceCount` bytes.
  ///
  /// The result is `nil` if `make` returns `nil`, or a piece of the wrong length, for any range.
  package init?(
    inLargePages count: Int, inPiecesOf pieceCount: Int, _ make: @Sendable (Range<Int>) -> [UInt8]?
  ) {
    self = unsafe [UInt8](inLargePages: count) { part, range in
      for start in stride(from: range.lowerBound, to: range.upperBound, by: pieceCount) {
        let piece = start..<Swift.min(start + pieceCount, range.upperBound)
        let done = start - range.lowerBound
        guard let bytes = make(piece), bytes.count == piece.count else { return done }
        unsafe UnsafeMutableRawBufferPointer(rebasing: part[done...]).copyBytes(from: bytes)
      }
      return range.count
    }
    guard self.count == count else { return nil }
  }
}
