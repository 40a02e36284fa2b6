package import KVBytes
package import KVModel

/// Finds what SQLite passes over in a write-ahead log without a word.
///
/// SQLite applies the frames of a log up to the last commit before the first frame that does not hold.
/// What stands after that is lost: rows are missing, or are as they were at the last checkpoint.
///
///     offset  count  field of the header, big-endian
///          0      4  0x377f0682, or 0x377f0683 where checksums are of big-endian words
///          4      4  version, 3007000
///          8      4  page size
///         12      4  count of checkpoints
///         16      8  salts
///         24      8  checksum of the 24 bytes before
///         32         frames: page number (4), count of pages after a commit or 0 (4), salts (8),
///                    checksum of all frames so far without their salts (8), page
///
/// A log is written from the start again and again. Its first salt grows by one each time, and its
/// second is random: a frame with neither of the header's salts is left from an earlier log. Within a
/// transaction frames are written again and their checksums corrected with the commit, and of one that
/// was taken back they stay: frames of this log that do not hold are damage only if there is a commit
/// among them.
///
/// Reference: <https://www.sqlite.org/fileformat2.html> § 4.
package struct WALCheck {
  private struct Checksum: Hashable {
    var first: UInt32 = 0
    var second: UInt32 = 0
  }

  private static let headerCount = 32
  private static let frameHeaderCount = 24

  private let image: FileImage
  private let isBigEndian: Bool
  private let pageSize: Int

  /// Returns what SQLite does not apply of the log `image`, which is not empty.
  package static func findings(in image: FileImage) -> [Finding] {
    WALCheck(image).finding.map { [$0] } ?? []
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
        "the write-ahead log has \(image.count.grouped) bytes, and \(fault): SQLite applies nothing of it; "
          + "rows may be missing or older than the app's")
    }
    return frameFinding
  }

  /// What is wrong with the header, for people.
  private var headerFault: String? {
    guard image.count >= Self.headerCount else {
      return "its header of \(Self.headerCount.grouped) bytes is cut"
    }
    guard Self.word(image, 0) | 1 == 0x377f_0683 else {
      return "it does not begin as a write-ahead log"
    }
    guard (512...65536).contains(pageSize), pageSize.nonzeroBitCount == 1 else {
      return "no page has the \(pageSize.grouped) bytes that its header says"
    }
    return checksum(of: image.bytes(in: 0..<24), Checksum()) == storedChecksum(24)
      ? nil : "the checksum of its header does not match"
  }

  /// What is wrong with the frames.
  private var frameFinding: Finding? {
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
    let end = Self.headerCount + valid * stride
    let ours = (valid..<count).map { Self.headerCount + $0 * stride }.filter(isOfThisLog)
    let left = valid - applied + ours.count
    if ours.contains(where: { Self.word(image, $0 + 4) != 0 })
      || ours.first == end && hasLostCommit(end, after: sum)
    {
      return Finding(
        SQLiteFindings.walDamaged, at: Extent(.side, end..<image.count),
        "frame \(valid + 1) of the write-ahead log does not hold, and \(left) "
          + "\(left == 1 ? "frame is" : "frames are") not applied: " + Self.applying(applied))
    }
    return unfinished(valid, applied, of: count, left: left)
  }

  /// The finding about a log of which `valid` frames hold and `applied` were committed, if it ends otherwise
  /// than a log does that was closed.
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
        ? "the write-ahead log ends within a frame"
        : isUnknown
          ? "frame \(valid + 1) is neither of this write-ahead log nor of an earlier one"
          : "frames follow the last commit of the write-ahead log, \(left) of them")
        + ": the app was stopped while it wrote or took a change back, or the file was cut; "
        + Self.applying(applied))
  }

  private static func applying(_ count: Int) -> String {
    "SQLite applies \(count.grouped) of its frames; rows may be missing or older than the app's"
  }

  /// Whether the frame at `offset` is a commit whose count of pages lost its only bit; `sum` is the
  /// checksum of the frames before.
  private func hasLostCommit(_ offset: Int, after sum: Checksum) -> Bool {
    (0..<32).contains { bit in
      var header = image.bytes(in: offset..<offset + 8)
      header[4 + bit / 8] ^= 1 << (bit % 8)
      let pages = image.bytes(in: offset + Self.frameHeaderCount..<offset + 24 + pageSize)
      return checksum(of: pages, checksum(of: header, sum)) == storedChecksum(offset + 16)
    }
  }

  /// Whether the frame at `offset` has a page, and a first salt from shortly before the header's.
  private func isOfEarlierLog(_ offset: Int) -> Bool {
    let age = UInt32(Self.word(image, 16)) &- UInt32(Self.word(image, offset + 8))
    return (1..<1 << 24).contains(age) && Self.word(image, offset) != 0
  }

  /// Whether the frame at `offset` has a salt of the header.
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

  /// Returns the checksum of what `start` is of, with `bytes` after it.
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
