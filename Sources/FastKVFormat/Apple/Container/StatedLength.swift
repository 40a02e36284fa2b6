import KVBytes

/// What the header of a file of FastKV for iOS claims about the length of its log, and the file
/// that the claim is about.
struct StatedLength: Sendable {
  let header: AppleHeader
  /// The number of bytes in the file.
  let fileCount: Int
  /// The range of everything that was ever written after the header.
  let written: Range<Int>
  /// The log that the header states; `nil` if the file is too short for it.
  let log: Range<Int>?

  /// Compares the claim of `header` with its file, `image`.
  init(_ header: AppleHeader, of image: FileImage) {
    self.header = header
    fileCount = image.count
    let start = min(AppleHeader.byteCount, image.count)
    let last = image.lastNonzero(in: start..<image.count)
    written = start..<(last.map { $0 + 1 } ?? start)
    let length = Int(exactly: header.length)
    log = length.flatMap { $0 <= image.count - start ? start..<start + $0 : nil }
  }

  /// Whether enough of the header is left to show that the rest is at its original place.
  var hasHeader: Bool { header.isRecognizable && fileCount >= AppleHeader.byteCount }

  /// The end of the log by the low half of the length.
  var lowHalfEnd: Int { AppleHeader.byteCount + Int(header.length & 0xffff_ffff) }

  /// The end of the log by its length, or by the length without its highest bit if that is beyond
  /// the file.
  var expectedEnd: Int? {
    if let log { return log.upperBound }
    guard header.length > 0 else { return nil }
    let highest = UInt64.bitWidth - 1 - header.length.leadingZeroBitCount
    let length = Int(header.length & ~(1 << UInt64(highest)))
    guard length > 0, length <= fileCount - AppleHeader.byteCount else { return nil }
    return AppleHeader.byteCount + length
  }

  /// Returns whether the length of a log that ends at `end` differs from the stated length in one
  /// bit.
  func isOneBitOff(_ end: Int) -> Bool {
    (UInt64(end - AppleHeader.byteCount) ^ header.length).nonzeroBitCount == 1
  }

  /// Returns whether `offset` is after the log that the header states.
  func isAfterLog(_ offset: Int) -> Bool { offset >= log?.upperBound ?? .max }
}
