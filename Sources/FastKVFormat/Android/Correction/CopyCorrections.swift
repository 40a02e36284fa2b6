package import KVModel

/// The corrections of copies that their checksums lead to.
///
/// A `.kvc` has nobody to vote with: the lanes of its own checksum correct it. Where neither copy of the
/// pair holds, they vote first, and the lanes of each one's own checksum come second.
struct CopyCorrections {
  private let copies: [AndroidCopy]
  private let cipher: (any FastKVCipher)?

  init(_ copies: [AndroidCopy], _ cipher: (any FastKVCipher)?) {
    self.copies = copies
    self.cipher = cipher
  }

  /// The pair, if none of it holds.
  private var damagedPair: [AndroidCopy] {
    let pair = copies.filter { $0.isOfPair }
    return pair.allSatisfy { $0.whole == nil } ? pair : []
  }

  /// Returns the correction of copy C by its lanes, and that of the first of the pair by the second.
  func first() -> [Correction] {
    let last = copies.filter { !$0.isOfPair }.prefix(1)
    return byLanes(last) + (vote().map { [$0] } ?? [])
  }

  /// Returns the corrections of the pair by the lanes of each.
  func second() -> [Correction] { byLanes(damagedPair[...]) }

  private func vote() -> Correction? {
    let pair = damagedPair
    guard pair.count == 2, let merged = CopyMerge.correction(of: pair[0], by: pair[1]) else {
      return nil
    }
    let copy = AndroidCopy(pair[0].file, cipher, corrected: merged)
    return (merged.isProven ? copy.isTaken : copy.decodes) ? merged : nil
  }

  private func byLanes(_ copies: ArraySlice<AndroidCopy>) -> [Correction] {
    copies.filter { $0.whole == nil }.compactMap {
      LaneCorrection.correction(of: $0) ?? ShiftCorrection.correction(of: $0)
    }
  }
}

extension AndroidCopy {
  /// Whether it is one of the two that the engine keeps alike.
  var isOfPair: Bool { file.role != .copyC }

  /// What a correction by its own lanes is to that of another copy: one of a pair is enough.
  var rivalry: Correction.Rivalry { isOfPair ? .redundant : .none }
}

extension AndroidFastKVStore {
  /// Returns the corrections that the checksums of the copies lead to: those of copy C and of the pair by
  /// its vote, and if the pair has none, those by its lanes.
  package func proposedCorrections() -> [Correction] {
    let search = CopyCorrections(copies, cipher)
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
