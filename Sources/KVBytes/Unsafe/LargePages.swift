import Dispatch

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

  /// How many bytes are filled by one thread at a time: enough that to start it costs little beside them.
  private static let partCount = 4 << 20

  /// The parts in which an array of `count` bytes is filled: one where it is small.
  static func parts(of count: Int) -> [Range<Int>] {
    guard count > 2 * partCount else { return [0..<count] }
    return stride(from: 0, to: count, by: partCount).map { $0..<min($0 + partCount, count) }
  }

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
  /// `count` bytes in large pages, of which `fill` writes those of a range.
  ///
  /// It returns how many it has written from the range's start on; the array ends before the first byte that
  /// was not written. Large arrays are filled in parts on several threads at once, as most of the time goes
  /// into getting memory.
  package init<Failure: Error>(
    inLargePages count: Int,
    filledBy fill: @Sendable (UnsafeMutableRawBufferPointer, Range<Int>) throws(Failure) -> Int
  ) throws(Failure) {
    let parts = LargePages.parts(of: count)
    var outcomes = [Result<Int, Failure>](repeating: .success(0), count: parts.count)
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      // Each part writes to memory of its own.
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

  /// A copy of `bytes` with as many zeros after it as `zeroCount`, in large pages.
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

  /// `count` bytes in large pages, of which `make` makes those of a range of at most `pieceCount` bytes.
  ///
  /// It is `nil` where they are `nil` for a range, or of another length.
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
