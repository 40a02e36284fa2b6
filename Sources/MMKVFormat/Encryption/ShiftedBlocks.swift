import KVBytes
import KVCryptography
import KVModel

/// The parts of an encrypted log whose cipher blocks begin elsewhere, because bytes before them were
/// inserted or deleted.
///
/// A block decrypts wherever it is, from its own bytes and those of the block before. So all that
/// follows can be read once it is known where the blocks begin: 0 to 15 bytes later than before. They
/// are searched for where the decrypted bytes are not records.
struct ShiftedBlocks {
  /// A part of the log whose blocks have moved.
  struct Run {
    /// The bytes, from the first whole record on.
    let range: Range<Int>
    /// The number of bytes by which the blocks begin later.
    let shift: Int
  }

  /// The number of consecutive records that is not a coincidence in any of the places tried, and the
  /// number after which no more are counted.
  private static let recordCounts = 3...8
  /// The least length of a key that is evidence for its record.
  private static let keyCount = 3
  /// The number of bytes in which they are searched for, from where reading fails.
  private static let sampleCount = 1 << 14
  /// The number of places, the longest first, where they are searched for.
  private static let gapCount = 4

  /// The runs, in order.
  let runs: [Run]

  /// Finds the runs in the data file of `view`; none if its checksum matches, or without a key.
  ///
  /// - Complexity: O(size of the file).
  init(_ view: MMKVView) {
    let start = DataHeader.byteCount + Cryptography.blockCount
    guard let cipher = view.cipher, view.lengthClaims.first?.isVerified == false,
      let last = view.stored.lastNonzero(in: 0..<view.dataCount), last > start
    else {
      runs = []
      return
    }
    let gaps = Resynchronizer(view.plain, expiry: .unknown)
      .gaps(in: DataHeader.byteCount..<last + 1).map(\.extent.range)
      .filter { $0.count > 2 * Cryptography.blockCount }
      .sorted { ($1.count, $0.lowerBound) < ($0.count, $1.lowerBound) }.prefix(Self.gapCount)
    runs = gaps.compactMap { Self.run(in: $0, of: view.stored, cipher) }
      .sorted { $0.range.lowerBound < $1.range.lowerBound }
  }

  /// Returns the run in `gap`, by the place of the blocks with which most records follow each other;
  /// `nil` if none has enough of them.
  private static func run(
    in gap: Range<Int>, of image: FileImage, _ cipher: PayloadCipher
  ) -> Run? {
    let block = Cryptography.blockCount
    var best: (run: Run, count: Int)?
    for shift in 1..<block {
      // The block before the first one is its vector.
      let first = max(gap.lowerBound, DataHeader.byteCount + block + shift)
      let sample = first..<min(gap.upperBound, first + sampleCount)
      guard !sample.isEmpty, let plain = cipher.decrypting(sample, of: image, shiftedBy: shift)
      else { continue }
      let chain = chain(in: FileImage(plain))
      if chain.count >= max(recordCounts.lowerBound, (best?.count ?? 0) + 1) {
        best = (Run(range: first + chain.offset..<gap.upperBound, shift: shift), chain.count)
      }
    }
    return best?.run
  }

  /// Returns the first of the longest rows of records in `image`, and the number of its records.
  ///
  /// Every offset is tried: the rest of a record before them can look like one that covers them all.
  private static func chain(in image: FileImage) -> (offset: Int, count: Int) {
    var best = (offset: 0, count: 0)
    for offset in image.range where best.count < recordCounts.upperBound {
      var count = 0
      let rest = offset..<image.count
      for event in MMKVRecords(image, in: rest, mode: .plain, isEncrypted: false, gaps: []) {
        guard case .record(let record) = event, count < recordCounts.upperBound,
          PlausibleChain.isLink(record, in: image, keyCount: keyCount)
        else { break }
        count += 1
      }
      if count > best.count { best = (offset, count) }
    }
    return best
  }
}
