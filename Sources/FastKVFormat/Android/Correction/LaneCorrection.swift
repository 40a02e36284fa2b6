import KVBytes
import KVModel

/// Corrects a copy by its own checksum.
///
/// The syndrome, which is the stored checksum XOR the computed one, gives for each of the eight
/// lanes the XOR of all changes in it. If the damage lies within eight consecutive bytes, only its
/// place is unknown: the byte at offset x changed by the mask of lane x mod 8. So every place is
/// tried, and the one with which the whole log decodes is accepted if it is the only one.
///
/// A log that already decodes is left alone: the change can be in any value, or in the stored
/// checksum.
///
/// This assumes that the damage lies within eight bytes, and that the length is right. When it is
/// wrong, a place is accepted that makes the log decode by accident; see ``LaneOdds``.
struct LaneCorrection {
  /// The longest log that is tried.
  private static let countLimit = 16 << 20
  /// The most bytes that are examined; with a cipher each costs some tens of nanoseconds.
  private static let budget = 96 << 20
  private static let encryptedBudget = 8 << 20

  /// Returns the most bytes that are examined in one search.
  static func budget(isEncrypted: Bool) -> Int { isEncrypted ? encryptedBudget : budget }

  private let masks: [UInt8]
  private let log: Range<Int>
  private let test: AndroidPlausibility
  private var trial: LogTrial

  /// Returns the correction of `copy`; `nil` if none fits, or more than one.
  ///
  /// - Complexity: O(count of the log), with a factor of some ten; bounded in any case.
  static func correction(of copy: AndroidCopy) -> Correction? {
    guard let log = copy.log, !log.range.isEmpty, log.count <= countLimit,
      let claim = copy.claim, !claim.isSatisfied, copy.corrected == nil,
      copy.decoded.isReadable
    else { return nil }
    var search = LaneCorrection(copy, log.range, claim.stored ^ claim.computed)
    guard let patches = search.place() else { return nil }
    return Correction(
      patches.edits(of: copy.file.role), by: LaneChange.self, verifying: log,
      LaneOdds(of: patches, copy.file.image, log.range, search.test).odds,
      rivalry: copy.rivalry,
      reason: "the checksum lanes show what was changed, and only a change at "
        + "\(patches.places) makes all records decode")
  }

  private init(_ copy: AndroidCopy, _ log: Range<Int>, _ syndrome: UInt64) {
    masks = (0..<8).map { UInt8(truncatingIfNeeded: syndrome >> UInt64(8 * $0)) }
    self.log = log
    test = copy.decoded.fullTest
    trial = LogTrial(
      copy.file.image.bytes, log, test, budget: Self.budget(isEncrypted: test.isEncrypted))
  }

  /// Returns the changes at the only place where the masks make the log decode; `nil` if there is
  /// no such place, or more than one.
  private mutating func place() -> [BytePatch]? {
    guard let (starts, reach) = trial.firstDamage() else { return nil }
    var found: [BytePatch]?
    var index = 0
    for offset in log.lowerBound..<reach where masks[offset % 8] != 0 {
      while index + 1 < starts.count, starts[index + 1] <= offset { index += 1 }
      guard let patches = patches(from: offset),
        trial.decodes(from: starts[index], with: patches)
      else { continue }
      if found != nil { return nil }
      found = patches
    }
    return trial.isExhausted ? nil : found
  }

  /// Returns the masks as changes of the eight bytes from `first` on.
  private func patches(from first: Int) -> [BytePatch]? {
    var patches: [BytePatch] = []
    for offset in first..<first + 8 where masks[offset % 8] != 0 {
      guard offset < log.upperBound else { return nil }
      patches.append(BytePatch(offset: offset, mask: masks[offset % 8]))
    }
    return patches
  }
}
