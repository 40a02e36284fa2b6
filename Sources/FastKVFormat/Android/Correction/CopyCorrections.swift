package import KVModel

/// The corrections that the checksums of the copies support.
///
/// A `.kvc` has no second copy to compare with, so only the lanes of its own checksum correct it.
/// If both copies of the pair are damaged, they are first merged by the vote, and only then
/// corrected by the lanes of each.
struct CopyCorrections {
  private let copies: [AndroidCopy]
  private let cipher: DemoCipher?

  init(_ copies: [AndroidCopy], _ cipher: DemoCipher?) {
    self.copies = copies
    self.cipher = cipher
  }

  /// The pair, if neither copy is intact.
  private var damagedPair: [AndroidCopy] {
    let pair = copies.filter { $0.isOfPair }
    return pair.allSatisfy { $0.whole == nil } ? pair : []
  }

  /// Returns the correction of copy C by its lanes, and that of the pair's first copy by its
  /// second.
  func first() -> [Correction] {
    let last = copies.filter { !$0.isOfPair }.prefix(1)
    return byLanes(last) + (vote().map { [$0] } ?? [])
  }

  /// Returns the corrections of the pair by each copy's own lanes.
  func second() -> [Correction] { byLanes(damagedPair[...]) }

  private func vote() -> Correction? {
    let pair = damagedPair
    guard pair.count == 2, let merged = CopyMerge.correction(of: pair[0], by: pair[1]) else {
      return nil
    }
    let copy = AndroidCopy(pair[0].file, cipher, corrected: merged).judged()
    return (merged.isProven ? copy.isTaken : copy.decodes) ? merged : nil
  }

  private func byLanes(_ copies: ArraySlice<AndroidCopy>) -> [Correction] {
    copies.filter { $0.whole == nil }.compactMap { LaneCorrection.correction(of: $0) }
  }
}

extension AndroidCopy {
  /// How a correction by a copy's own lanes relates to that of the other copy: one of a pair is
  /// enough.
  var rivalry: Correction.Rivalry { isOfPair ? .redundant : .none }
}

extension AndroidFastKVStore {
  /// Returns the corrections that the checksums of the copies support: those of copy C and of the
  /// pair by its vote, or else those of the pair by its lanes.
  package func proposedCorrections() -> [Correction] {
    let search = CopyCorrections(judged().copies, cipher)
    let decided = corrections + declinedCorrections
    if decided.isEmpty {
      let first = search.first()
      if !first.isEmpty { return first }
    }
    let isPairDecided =
      corrections.contains { $0.changedFile != .copyC }
      || declinedCorrections.contains { $0.rivalry == .redundant }
    return isPairDecided ? [] : search.second()
  }
}
