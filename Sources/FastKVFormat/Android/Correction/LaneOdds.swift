import KVBytes
import KVModel

/// The coincidence odds of a correction whose bytes come from the lanes of the checksum.
///
/// A lane gives the XOR of all its changes, so a second change in a corrected lane, wherever it is,
/// makes the corrected byte wrong. Two things make that unlikely:
///
/// - The second change would have to be in a corrected lane, and in no other lane.
/// - The log would have to decode with the wrong byte. So every other value of each corrected byte
///   is tried. If none decodes, the records alone determine the byte; if all decode, as in a text,
///   the records say nothing. The numbers of possible values are multiplied over the bytes. For
///   consecutive bytes changed by one burst, only the largest number counts. If one bit was
///   changed, only the values that differ in one bit count.
///
/// The constants were chosen so that about as many corrections of each kind were false as they
/// claim, in 29,778 stores, half of them damaged once or twice and half more often
/// (`Docs/MEASUREMENTS.md`). Most false corrections are in stores with a second change that cancels
/// out in the lanes, against which no checksum bits count.
struct LaneOdds {
  /// The evidence of one changed byte, which is negative: a second change in its lane, or one that
  /// cancels out, is not seen.
  private static let oneLaneBits = -2
  /// The evidence of several changed bytes that are not consecutive, which is negative: each may
  /// hide a further change.
  private static let scatteredBits = -2
  /// The evidence of four to seven consecutive corrected lanes.
  ///
  /// Unrelated changes are seldom consecutive. Fewer than four often are, and eight always are.
  private static let burstBits = 6
  private static let burstCounts = 4...7
  /// The evidence of a single changed bit: two bytes seldom differ in exactly one.
  private static let bitBits = 5
  /// The most evidence that the lanes of one copy give.
  ///
  /// About as often, a further change cancels out in them unseen.
  private static let ceilingBits = 8
  /// The number of bits in a byte.
  private static let byteBits = 8

  let odds: CoincidenceOdds

  /// Computes the odds of `patches` to the log at `range` of `image`, whose records all pass `test`
  /// with them.
  ///
  /// - Complexity: O(`range.count`).
  init(
    of patches: [BytePatch], _ image: FileImage, _ range: Range<Int>, _ test: AndroidPlausibility
  ) {
    var bytes = image.bytes
    for patch in patches { bytes[patch.offset] ^= patch.mask }
    let isBit = patches.count == 1 && patches[0].mask.nonzeroBitCount == 1
    let isBurst =
      Self.burstCounts.contains(patches.count)
      && (patches.last?.offset ?? 0) - (patches.first?.offset ?? 0) < patches.count
    let laneBits =
      patches.count == 1 ? Self.oneLaneBits : isBurst ? Self.burstBits : Self.scatteredBits
    var trial = LogTrial(
      bytes, range, test, budget: LaneCorrection.budget(isEncrypted: test.isEncrypted))
    let counts = patches.map { Double(trial.valueCount(at: $0.offset, areBits: isBit)) }
    odds = min(
      CoincidenceOdds(
        checksumBits: laneBits + (isBit ? Self.bitBits : 0), framingBits: Self.byteBits,
        candidates: isBurst ? counts.max() ?? 1 : counts.reduce(1, *)),
      CoincidenceOdds(checksumBits: Self.ceilingBits, candidates: 1))
  }
}
