import KVBytes

/// What the header of a file of FastKV for iOS says about the length of its log, and the file to which
/// that applies.
struct StatedLength: Sendable {
  let header: AppleHeader
  /// How many bytes the file has.
  let fileCount: Int
  /// The bytes that were ever written after the header.
  let written: Range<Int>
  /// The log by the header, if so many bytes are there.
  let log: Range<Int>?

  /// What `header` says, which is that of `image`.
  init(_ header: AppleHeader, of image: FileImage) {
    self.header = header
    fileCount = image.count
    let start = min(AppleHeader.byteCount, image.count)
    let last = image.lastNonzero(in: start..<image.count)
    written = start..<(last.map { $0 + 1 } ?? start)
    let length = Int(exactly: header.length)
    log = length.flatMap { $0 <= image.count - start ? start..<start + $0 : nil }
  }

  /// Whether enough of the header is left to show that what follows it stands where it stood.
  var hasHeader: Bool { header.isRecognizable && fileCount >= AppleHeader.byteCount }

  /// Where the log ends by the low half of the length.
  var lowHalfEnd: Int { AppleHeader.byteCount + Int(header.length & 0xffff_ffff) }

  /// Where the log ends by the header: by its length, or if that is beyond the file, by the length
  /// without its highest bit.
  var expectedEnd: Int? {
    if let log { return log.upperBound }
    guard header.length > 0 else { return nil }
    let highest = UInt64.bitWidth - 1 - header.length.leadingZeroBitCount
    let length = Int(header.length & ~(1 << UInt64(highest)))
    guard length > 0, length <= fileCount - AppleHeader.byteCount else { return nil }
    return AppleHeader.byteCount + length
  }

  /// Returns whether a log that ends at `end` has a length that is one changed bit away.
  func isOneBitOff(_ end: Int) -> Bool {
    (UInt64(end - AppleHeader.byteCount) ^ header.length).nonzeroBitCount == 1
  }

  /// Returns whether `offset` is after the log by the header.
  func isAfterLog(_ offset: Int) -> Bool { offset >= log?.upperBound ?? .max }
}
