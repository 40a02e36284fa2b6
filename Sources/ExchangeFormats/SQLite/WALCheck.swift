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
    let check = WALCheck(image)
    guard let fault = check.headerFault else { return check.frameFinding.map { [$0] } ?? [] }
    return [
      Finding(
        SQLiteFindings.walDamaged, at: Extent(.side, image.range),
        "the write-ahead log has \(image.count.inBytes), but \(fault): SQLite ignores it; "
          + "rows may be missing or older than the app's")
    ]
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

  /// Returns the frames of the log `image`, whatever their checksums are: the number of each page, the
  /// offset of its bytes, and whether a transaction ends with it.
  ///
  /// Frames after the valid ones are left from earlier logs.
  static func frames(
    in image: FileImage, pageSize: Int
  ) -> [(page: Int, start: Int, isCommit: Bool)] {
    stride(
      from: headerCount, through: image.count - frameHeaderCount - pageSize,
      by: frameHeaderCount + pageSize
    ).map { start in
      (image.bigEndian(start), start + frameHeaderCount, image.bigEndian(start + 4) != 0)
    }
  }

  private init(_ image: FileImage) {
    self.image = image
    let hasHeader = image.count >= Self.headerCount
    isBigEndian = hasHeader && image[3] & 1 == 1
    pageSize = hasHeader ? image.bigEndian(8) : 0
  }

  /// A description of the fault in the header, or `nil` if there is none.
  private var headerFault: String? {
    guard image.count >= Self.headerCount else {
      return "its header of \(Self.headerCount.grouped) bytes is truncated"
    }
    guard image.bigEndian(0) | 1 == 0x377f_0683 else {
      return "it does not begin like a write-ahead log"
    }
    guard (512...65536).contains(pageSize), pageSize.nonzeroBitCount == 1 else {
      return "the page size in its header, \(pageSize.inBytes), is impossible"
    }
    return checksum(of: image.bytes(in: 0..<24), Checksum()) == storedChecksum(24)
      ? nil : "the checksum of its header does not match"
  }

  /// The number of frames with a matching checksum and salts, the number of these that were
  /// committed, and the checksum after the valid ones.
  private var frames: (valid: Int, applied: Int, sum: Checksum) {
    var sum = storedChecksum(24)
    var (valid, applied) = (0, 0)
    while valid < count {
      let start = offset(of: valid)
      guard image.bytes(in: start + 8..<start + 16) == image.bytes(in: 16..<24),
        image.bigEndian(start) != 0
      else { break }
      let header = checksum(of: image.bytes(in: start..<start + 8), sum)
      let next = checksum(of: page(at: start), header)
      guard next == storedChecksum(start + 16) else { break }
      sum = next
      valid += 1
      if image.bigEndian(start + 4) != 0 { applied = valid }
    }
    return (valid, applied, sum)
  }

  /// The finding about the frames, or `nil` if there is nothing wrong with them.
  private var frameFinding: Finding? {
    let (valid, applied, sum) = frames
    let end = offset(of: valid)
    let ours = (valid..<count).map(offset(of:)).filter(isOfThisLog)
    let left = valid - applied + ours.count
    let outcome =
      "SQLite applies \(applied.grouped) of its frames; rows may be missing or older than the app's"
    if ours.contains(where: { image.bigEndian($0 + 4) != 0 })
      || ours.first == end && hasLostCommit(end, after: sum)
    {
      return Finding(
        SQLiteFindings.walDamaged, at: Extent(.side, end..<image.count),
        "frame \(valid + 1) of the write-ahead log is damaged, and \(left) "
          + "\(left == 1 ? "frame is" : "frames are") not applied: \(outcome)")
    }
    let isCut =
      valid == count && end < image.count && (image.count - end < 16 || isOfThisLog(end))
    let isUnknown = valid < count && left == 0 && !isOfEarlierLog(end)
    guard isCut || left > 0 || isUnknown else { return nil }
    return Finding(
      SQLiteFindings.walUnfinished, at: Extent(.side, offset(of: applied)..<image.count),
      (isUnknown
        ? "frame \(valid + 1) belongs neither to this write-ahead log nor to an earlier one"
        : "the write-ahead log does not end with a commit")
        + ": the app was stopped during a write or a rollback, or the file was truncated; \(outcome)"
    )
  }

  /// The number of whole frames.
  private var count: Int {
    (image.count - Self.headerCount) / (Self.frameHeaderCount + pageSize)
  }

  private func offset(of frame: Int) -> Int {
    Self.headerCount + frame * (Self.frameHeaderCount + pageSize)
  }

  /// Returns the page in the frame at `offset`.
  private func page(at offset: Int) -> [UInt8] {
    let start = offset + Self.frameHeaderCount
    return image.bytes(in: start..<start + pageSize)
  }

  /// Returns whether the frame at `offset` is a commit whose page count lost its only set bit.
  ///
  /// `sum` is the checksum of the frames before it.
  private func hasLostCommit(_ offset: Int, after sum: Checksum) -> Bool {
    (0..<32).contains { bit in
      var header = image.bytes(in: offset..<offset + 8)
      header[4 + bit / 8] ^= 1 << (bit % 8)
      let next = checksum(of: page(at: offset), checksum(of: header, sum))
      return next == storedChecksum(offset + 16)
    }
  }

  /// Returns whether the frame at `offset` has a page number, and a first salt slightly older than
  /// the header's.
  private func isOfEarlierLog(_ offset: Int) -> Bool {
    let age = UInt32(image.bigEndian(16)) &- UInt32(image.bigEndian(offset + 8))
    return (1..<1 << 24).contains(age) && image.bigEndian(offset) != 0
  }

  /// Returns whether the frame at `offset` has at least one of the header's salts.
  private func isOfThisLog(_ offset: Int) -> Bool {
    guard image.count - offset >= 16 else { return false }
    return image.bigEndian(offset + 8) == image.bigEndian(16)
      || image.bigEndian(offset + 12) == image.bigEndian(20)
  }

  private func storedChecksum(_ offset: Int) -> Checksum {
    Checksum(
      first: UInt32(image.bigEndian(offset)), second: UInt32(image.bigEndian(offset + 4)))
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
