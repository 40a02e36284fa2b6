import KVBytes
import KVModel

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
/// second is random: a frame with neither of the header's salts is left from an earlier log.
///
/// Reference: <https://www.sqlite.org/fileformat2.html> § 4.
struct WALCheck {
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
  static func findings(in image: FileImage) -> [Finding] {
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
        "sqlite.wal-damaged", .damage, at: Extent(.meta, image.range),
        "the write-ahead log has \(image.count) bytes, and \(fault): SQLite applies nothing of it; "
          + "rows may be missing or older than the app's")
    }
    return frameFinding
  }

  /// What is wrong with the header, for people.
  private var headerFault: String? {
    guard image.count >= Self.headerCount else {
      return "its header of \(Self.headerCount) bytes is cut"
    }
    guard Self.word(image, 0) | 1 == 0x377f_0683 else {
      return "it does not begin as a write-ahead log"
    }
    guard (512...65536).contains(pageSize), pageSize.nonzeroBitCount == 1 else {
      return "no page has the \(pageSize) bytes that its header says"
    }
    return checksum(of: 0..<24, Checksum()) == storedChecksum(24)
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
      sum = checksum(of: start..<start + 8, sum)
      sum = checksum(of: start + Self.frameHeaderCount..<start + stride, sum)
      guard sum == storedChecksum(start + 16) else { break }
      valid += 1
      if Self.word(image, start + 4) != 0 { applied = valid }
    }
    let end = Self.headerCount + valid * stride
    let ours = (valid..<count).count { isOfThisLog(Self.headerCount + $0 * stride) }
    let applying =
      "SQLite applies \(applied) of its frames; rows may be missing or older than the app's"
    if ours > 0 {
      return Finding(
        "sqlite.wal-damaged", .damage, at: Extent(.meta, end..<image.count),
        "frame \(valid + 1) of the write-ahead log does not hold, and \(valid - applied + ours) "
          + "\(valid - applied + ours == 1 ? "frame is" : "frames are") not applied: " + applying)
    }
    let isCut =
      valid == count && end < image.count && (image.count - end < 16 || isOfThisLog(end))
    guard isCut || applied < valid else { return nil }
    let start = Self.headerCount + applied * stride
    return Finding(
      "sqlite.wal-unfinished", .warning, at: Extent(.meta, start..<image.count),
      (isCut
        ? "the write-ahead log ends within a frame" : "the write-ahead log ends without a commit")
        + ": the app was stopped while it wrote, or the file was cut; " + applying)
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

  /// Returns the checksum of what `start` is of, with the bytes in `range` after it.
  private func checksum(of range: Range<Int>, _ start: Checksum) -> Checksum {
    var sum = start
    let bytes = image.bytes(in: range)
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
