import KVBytes
import KVModel

/// Puts a copy right by its own checksum.
///
/// The stored checksum exclusive-or the computed one says, for each of the eight lanes, what all
/// changes in it come to. Damage within eight bytes in a row is then known but for where it is: at
/// offset x its mask is that of lane x mod 8. So every place is tried, and the one with which the whole
/// log decodes is taken, if there is only one.
///
/// A log that decodes as it is stays as it is: what changed in it can be in any value, or in the stored
/// checksum.
///
/// What it assumes: that the damage is within eight bytes, and that the length is right. When it is
/// wrong, a place that makes the log decode by accident is taken; see ``LaneOdds``.
struct LaneCorrection {
  /// The longest log that is tried.
  private static let countLimit = 16 << 20
  /// How many bytes may be looked at; under a cipher each costs some tens of nanoseconds.
  private static let budget = 96 << 20
  private static let encryptedBudget = 8 << 20

  /// How many bytes may be looked at for one answer.
  static func budget(isEncrypted: Bool) -> Int { isEncrypted ? encryptedBudget : budget }

  private let masks: [UInt8]
  private let log: Range<Int>
  private let test: RecordTest
  private var trial: LogTrial

  /// The correction of `copy`; `nil` where none fits, or more than one.
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
      reason: "the lanes of the checksum say what was changed, and only with the change at "
        + "\(patches.places) do all records decode")
  }

  private init(_ copy: AndroidCopy, _ log: Range<Int>, _ syndrome: UInt64) {
    masks = (0..<8).map { UInt8(truncatingIfNeeded: syndrome >> UInt64(8 * $0)) }
    self.log = log
    let isEncrypted = copy.decoded.isEncrypted
    test = RecordTest(isEncrypted: isEncrypted, cipher: copy.decoded.cipher)
    trial = LogTrial(
      copy.file.image.bytes, log, test,
      budget: Self.budget(isEncrypted: isEncrypted))
  }

  /// The only place at which the masks make the log decode, with what is changed there; `nil` where
  /// there is none, or more than one.
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

  /// The masks put at `first` and within the seven bytes after it.
  private func patches(from first: Int) -> [BytePatch]? {
    var patches: [BytePatch] = []
    for offset in first..<first + 8 where masks[offset % 8] != 0 {
      guard offset < log.upperBound else { return nil }
      patches.append(BytePatch(offset: offset, mask: masks[offset % 8]))
    }
    return patches
  }
}
