import KVModel

/// The copies, put right where their checksums tell how.
///
/// The pair is, where neither of its copies holds: they vote first, and the lanes of a copy's own
/// checksum come second, those of A before those of B. A `.kvc` has nobody to vote with.
struct CopyCorrections {
  /// The copies, in the order in which they were given.
  let copies: [AndroidCopy]

  init(_ copies: [AndroidCopy], _ cipher: (any FastKVCipher)?) {
    var mended = copies
    let pair = copies.indices.filter { copies[$0].file.role != .copyC }
    if let index = copies.firstIndex(where: { $0.file.role == .copyC }),
      let copy = CopyCorrections.byLanes(copies[index], cipher)
    {
      mended[index] = copy
    }
    if pair.allSatisfy({ copies[$0].whole == nil }) {
      if let copy = CopyCorrections.byVote(pair.map { copies[$0] }, cipher) {
        mended[pair[0]] = copy
      } else {
        let found = pair.compactMap { index in
          CopyCorrections.byLanes(copies[index], cipher).map { (index, $0) }
        }
        // A sure one before one that is not.
        if let (index, copy) = found.first(where: { $0.1.isTaken }) ?? found.first {
          mended[index] = copy
        }
      }
    }
    self.copies = mended
  }

  private static func byVote(
    _ pair: [AndroidCopy], _ cipher: (any FastKVCipher)?
  ) -> AndroidCopy? {
    guard pair.count == 2, let merged = CopyMerge.correction(of: pair[0], by: pair[1]) else {
      return nil
    }
    let copy = AndroidCopy(pair[0].file, cipher, corrected: merged)
    if merged.isSure { return copy.isTaken ? copy : nil }
    return copy.decodes ? copy : nil
  }

  private static func byLanes(
    _ copy: AndroidCopy, _ cipher: (any FastKVCipher)?
  ) -> AndroidCopy? {
    guard copy.whole == nil,
      let correction = LaneCorrection.correction(of: copy) ?? ShiftCorrection.correction(of: copy)
    else { return nil }
    return AndroidCopy(copy.file, cipher, corrected: correction)
  }
}
