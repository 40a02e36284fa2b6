import KVModel

/// The copies, corrected where their checksums tell how.
///
/// The pair is, where neither of its copies holds: they vote first, and the lanes of a copy's own
/// checksum come second, those of A before those of B. A `.kvc` has nobody to vote with.
struct CopyCorrections {
  /// The copies, in the order in which they were given.
  private(set) var copies: [AndroidCopy]
  /// The corrections that fit and are not applied, because they fit by chance too easily.
  private(set) var unlikely: [FileRole: Correction] = [:]
  private let cipher: (any FastKVCipher)?

  init(_ copies: [AndroidCopy], _ cipher: (any FastKVCipher)?) {
    self.copies = copies
    self.cipher = cipher
    let pair = copies.indices.filter { copies[$0].file.role != .copyC }
    if let index = copies.firstIndex(where: { $0.file.role == .copyC }) { correctByLanes([index]) }
    if pair.allSatisfy({ copies[$0].whole == nil }), !correctByVote(pair) { correctByLanes(pair) }
  }

  /// Corrects the first of the pair by the second, and returns whether that could be done.
  private mutating func correctByVote(_ pair: [Int]) -> Bool {
    guard pair.count == 2,
      let merged = CopyMerge.correction(of: copies[pair[0]], by: copies[pair[1]])
    else { return false }
    let copy = AndroidCopy(copies[pair[0]].file, cipher, corrected: merged)
    guard merged.odds.isProven ? copy.isTaken : copy.decodes else { return false }
    guard merged.odds.isLikely else {
      unlikely[copy.file.role] = merged
      return false
    }
    copies[pair[0]] = copy
    return true
  }

  /// Corrects that of the copies of which the lanes say most.
  private mutating func correctByLanes(_ indices: [Int]) {
    var best: (index: Int, correction: Correction)?
    for index in indices where copies[index].whole == nil {
      guard
        let found = LaneCorrection.correction(of: copies[index])
          ?? ShiftCorrection.correction(of: copies[index])
      else { continue }
      guard found.odds.isLikely else {
        unlikely[copies[index].file.role] = found
        continue
      }
      if let best, best.correction.odds >= found.odds { continue }
      best = (index, found)
    }
    guard let best else { return }
    copies[best.index] = AndroidCopy(
      copies[best.index].file, cipher, corrected: best.correction)
  }
}
