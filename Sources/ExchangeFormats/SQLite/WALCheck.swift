package import KVBytes
package import KVModel

/// Finds the parts of a write-ahead log that SQLite silently ignores.
///
/// SQLite applies the frames of a log up to the last commit before the first invalid frame. All
/// later frames are lost. Rows are then missing, or are as they were at the last checkpoint.
///
///     offset  count  field of the header, big-endian
///          0      4  0x377f0682, or 0x377f0683 if checksums are of big-endian words
///          4      4  version, 3007000
///          8      4  page size
///         12      4  number of checkpoints
///         16      8  salts
///         24      8  checksum of the 24 bytes before
///         32         frames: page number (4), page count after a commit or 0 (4), salts (8),
///                    checksum of all frames so far without their salts (8), page
///
/// A log is rewritten from its start repeatedly. Each time, its first salt is incremented, and its
/// second salt is random. So a frame with neither of the header's salts is left from an earlier
/// log.
///
/// Within a transaction, frames are rewritten, and their checksums are corrected with the commit.
/// The frames of a transaction that was rolled back stay. So invalid frames of this log are damage
/// only if there is a commit among them.
///
/// Reference: <https://www.sqlite.org/fileformat2.html> § 4.
package struct WALCheck {
  private struct Checksum: Hashable {
    var first: UInt32 = 0
    var second: UInt32 = 0
  }

  /// The number of bytes of the header.
  static let headerCount = 32
  private static let frameHeaderCount = 24

  private let image: FileImage
  private let isBigEndian: Bool
  private let pageSize: Int

  /// Returns a finding about the frames that SQLite does not apply from the log `image`.
  ///
  /// `image` is not empty.
  package static func findings(in image: FileImage) -> [Finding] {
    WALCheck(image).finding.map { [$0] } ?? []
  }

  /// Returns the page size of the log that begins with `head`, or `nil` if no log does.
  static func pageSize(in head: FileImage) -> Int? {
    let check = WALCheck(head)
    return check.headerFault == nil ? check.pageSize : nil
  }

  /// Returns the number of frames that SQLite would apply from the log `image`.
  static func committedCount(in image: FileImage) -> Int {
    let check = WALCheck(image)
    return check.headerFault == nil ? check.frames.applied : 0
  }

  private init(_ image: FileImage) {
    self.image = image
    let hasHeader = image.count >= Self.headerCount
    isBigEndian = hasHeader && image[3] & 1 == 1
    pageSize = hasHeader ? Self.word(image, 8) : 0
  }

  private var finding: Finding? {
    if let fault = headerFault {
      return Finding(
        SQLiteFindings.walDamaged, at: Extent(.side, image.range),
        "the write-ahead log has \(image.count.grouped) bytes, but \(fault): SQLite ignores it; "
          + "rows may be missing or older than the app's")
    }
    return frameFinding
  }

  /// A description of the fault in the header, or `nil` if there is none.
  private var headerFault: String? {
    guard image.count >= Self.headerCount else {
      return "its header of \(Self.headerCount.grouped) bytes is truncated"
    }
    guard Self.word(image, 0) | 1 == 0x377f_0683 else {
      return "it does not begin like a write-ahead log"
    }
    guard (512...65536).contains(pageSize), pageSize.nonzeroBitCount == 1 else {
      return "the page size in its header, \(pageSize.grouped) bytes, is impossible"
    }
    return checksum(of: image.bytes(in: 0..<24), Checksum()) == storedChecksum(24)
      ? nil : "the checksum of its header does not match"
  }

  /// The number of frames with a matching checksum and salts, the number of these that were
  /// committed, and the checksum after the valid ones.
  private var frames: (valid: Int, applied: Int, sum: Checksum) {
    let stride = Self.frameHeaderCount + pageSize
    let count = (image.count - Self.headerCount) / stride
    var sum = storedChecksum(24)
    var (valid, applied) = (0, 0)
    while valid < count {
      let start = Self.headerCount + valid * stride
      guard image.bytes(in: start + 8..<start + 16) == image.bytes(in: 16..<24),
        Self.word(image, start) != 0
      else { break }
      let header = checksum(of: image.bytes(in: start..<start + 8), sum)
      let page = image.bytes(in: start + Self.frameHeaderCount..<start + stride)
      let next = checksum(of: page, header)
      guard next == storedChecksum(start + 16) else { break }
      sum = next
      valid += 1
      if Self.word(image, start + 4) != 0 { applied = valid }
    }
    return (valid, applied, sum)
  }

  /// The finding about the frames, or `nil` if there is nothing wrong with them.
  private var frameFinding: Finding? {
    let stride = Self.frameHeaderCount + pageSize
    let count = (image.count - Self.headerCount) / stride
    let (valid, applied, sum) = frames
    let end = Self.headerCount + valid * stride
    let ours = (valid..<count).map { Self.headerCount + $0 * stride }.filter(isOfThisLog)
    let left = valid - applied + ours.count
    if ours.contains(where: { Self.word(image, $0 + 4) != 0 })
      || ours.first == end && hasLostCommit(end, after: sum)
    {
      return Finding(
        SQLiteFindings.walDamaged, at: Extent(.side, end..<image.count),
        "frame \(valid + 1) of the write-ahead log is damaged, and \(left) "
          + "\(left == 1 ? "frame is" : "frames are") not applied: " + Self.applying(applied))
    }
    return unfinished(valid, applied, of: count, left: left)
  }

  /// Returns the finding about a log that does not end like a closed log, or `nil` if it does.
  ///
  /// The log has `valid` valid frames, of which `applied` were committed.
  private func unfinished(_ valid: Int, _ applied: Int, of count: Int, left: Int) -> Finding? {
    let stride = Self.frameHeaderCount + pageSize
    let end = Self.headerCount + valid * stride
    let isCut =
      valid == count && end < image.count && (image.count - end < 16 || isOfThisLog(end))
    let isUnknown = valid < count && left == 0 && !isOfEarlierLog(end)
    guard isCut || left > 0 || isUnknown else { return nil }
    let start = Self.headerCount + applied * stride
    return Finding(
      SQLiteFindings.walUnfinished, at: Extent(.side, start..<image.count),
      (isCut
        ? "the write-ahead log ends inside a frame"
        : isUnknown
          ? "frame \(valid + 1) belongs neither to this write-ahead log nor to an earlier one"
          : "\(left) frames follow the last commit of the write-ahead log")
        + ": the app was stopped during a write or a rollback, or the file was truncated; "
        + Self.applying(applied))
  }

  private static func applying(_ count: Int) -> String {
    "SQLite applies \(count.grouped) of its frames; rows may be missing or older than the app's"
  }

  /// Returns whether the frame at `offset` is a commit whose page count lost its only set bit.
  ///
  /// `sum` is the checksum of the frames before it.
  private func hasLostCommit(_ offset: Int, after sum: Checksum) -> Bool {
    (0..<32).contains { bit in
      var header = image.bytes(in: offset..<offset + 8)
      header[4 + bit / 8] ^= 1 << (bit % 8)
      let pages = image.bytes(in: offset + Self.frameHeaderCount..<offset + 24 + pageSize)
      return checksum(of: pages, checksum(of: header, sum)) == storedChecksum(offset + 16)
    }
  }

  /// Returns whether the frame at `offset` has a page number, and a first salt slightly older than
  /// the header's.
  private func isOfEarlierLog(_ offset: Int) -> Bool {
    let age = UInt32(Self.word(image, 16)) &- UInt32(Self.word(image, offset + 8))
    return (1..<1 << 24).contains(age) && Self.word(image, offset) != 0
  }

  /// Returns whether the frame at `offset` has at least one of the header's salts.
  private func isOfThisLog(_ offset: Int) -> Bool {
    guard image.count - offset >= 16 else { return false }
    return Self.word(image, offset + 8) == Self.word(image, 16)
      || Self.word(image, offset + 12) == Self.word(image, 20)
  }

  private static func word(_ image: FileImage, _ offset: Int) -> Int {
    (offset..<offset + 4).reduce(0) { $0 << 8 | Int(image[$1]) }
  }

  private func storedChecksum(_ offset: Int) -> Checksum {
    Checksum(
      first: UInt32(Self.word(image, offset)), second: UInt32(Self.word(image, offset + 4)))
  }

  /// Returns the checksum that results from continuing `start` with `bytes`.
  private func checksum(of bytes: [UInt8], _ start: Checksum) -> Checksum {
    var sum = start
    func word(_ index: Int) -> UInt32 {
      let (a, b) = (UInt32(bytes[index]), UInt32(bytes[index + 1]))
      let (c, d) = (UInt32(bytes[index + 2]), UInt32(bytes[index + 3]))
      return isBigEndian ? a << 24 | b << 16 | c << 8 | d : d << 24 | c << 16 | b << 8 | a
    }
    for index in stride(from: 0, to: bytes.count, by: 8) {
      sum.first &+= word(index) &+ sum.second
      sum.second &+= word(index + 4) &+ sum.first
    }
    return sum
  }
}
