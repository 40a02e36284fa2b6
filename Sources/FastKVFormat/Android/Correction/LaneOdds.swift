import KVBytes
import KVModel

/// The odds of a correction whose bytes come from the lanes of the checksum.
///
/// The lanes say what all changes in a lane come to, so that a second change in one of them makes the
/// byte wrong, wherever it is. Two things speak against one:
///
/// - It would have to be in a lane that is corrected, and in no other.
/// - The log would have to decode with the wrong byte. So every other value of each corrected byte is
///   tried: where none decodes, the records alone say what the byte was, and where each does, as in a
///   text, they say nothing. What the records leave open multiplies over the bytes; in a row
///   of bytes that one burst changed, the byte that they say least of counts. Where one bit was changed,
///   only the values that are one bit off count.
///
/// The constants are those with which about as many corrections of each kind were false as they claim, in
/// 29,778 stores, half of them damaged once or twice and half more (`Docs/RECOVERY.md`). Most of the false ones
/// are of stores with a second change that cancels out in the lanes, so that no checksum bits speak
/// against it.
struct LaneOdds {
  /// What one changed byte loses: a second change in its lane, or one that cancels out, is not seen.
  private static let oneLaneBits = -2
  /// What several changed bytes that are not in a row lose: each may hide a further change.
  private static let scatteredBits = -2
  /// What it is worth that four to seven lanes in a row are corrected.
  ///
  /// Changes that have nothing to do with each other seldom are in a row. Fewer often are, and eight always.
  private static let burstBits = 6
  private static let burstCounts = 4...7
  /// What it is worth that the other seven lanes fit once all bytes after a place move.
  private static let shiftBits = 6
  /// What it is worth that what was changed is a single bit: two bytes seldom differ by one.
  private static let bitBits = 5
  /// The most that the lanes of one copy are worth: as often a further change cancels out in them, which
  /// nothing shows.
  private static let ceilingBits = 8
  /// How many values a byte has, in bits.
  private static let byteBits = 8

  let odds: CoincidenceOdds

  /// The odds of `patches` to the log at `range` of `image`, in which all records pass `test` with them.
  ///
  /// - Complexity: O(`range.count`).
  init(
    of patches: [BytePatch], _ image: FileImage, _ range: Range<Int>, _ test: RecordTest
  ) {
    var bytes = image.bytes
    for patch in patches { bytes[patch.offset] ^= patch.mask }
    let isBit = patches.count == 1 && patches[0].mask.nonzeroBitCount == 1
    let isBurst =
      Self.burstCounts.contains(patches.count)
      && (patches.last?.offset ?? 0) - (patches.first?.offset ?? 0) < patches.count
    let laneBits =
      patches.count == 1 ? Self.oneLaneBits : isBurst ? Self.burstBits : Self.scatteredBits
    self.init(
      laneBits + (isBit ? Self.bitBits : 0), bytes, patches, isOneChange: isBurst, isBit: isBit,
      range, test)
  }

  /// The odds of a byte that was put in at `offset` of the log at `range`, which gave `bytes`.
  ///
  /// - Complexity: O(`range.count`).
  init(ofByteAt offset: Int, in bytes: [UInt8], _ range: Range<Int>, _ test: RecordTest) {
    self.init(
      Self.shiftBits, bytes, [BytePatch(offset: offset, mask: 0)], isOneChange: true,
      isBit: false, range,
      test)
  }

  private init(
    _ laneBits: Int, _ bytes: [UInt8], _ patches: [BytePatch], isOneChange: Bool,
    isBit: Bool,
    _ range: Range<Int>, _ test: RecordTest
  ) {
    var trial = LogTrial(
      bytes, range, test, budget: LaneCorrection.budget(isEncrypted: test.isEncrypted))
    let counts = patches.map { Double(trial.valueCount(at: $0.offset, areBits: isBit)) }
    let values = isOneChange ? counts.max() ?? 1 : counts.reduce(1, *)
    odds = min(
      CoincidenceOdds(checksumBits: laneBits, framingBits: Self.byteBits, candidates: values),
      CoincidenceOdds(checksumBits: Self.ceilingBits, candidates: 1))
  }
}
