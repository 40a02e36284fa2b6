import KVBytes
import KVModel

/// Chooses the primary copy, and ranks the others against it.
///
/// An empty copy that the engine takes is believed if it is not blank by damage, and no copy has or
/// states a log. A `.kvc` that is a blank header and nothing else is always believed.
///
/// Of the intact copies, the likelier one is read. The evidence is weighed in bits; see
/// ``AndroidPriors`` for the numbers:
///
/// - The records show which one is newer; see ``CopyRelation``. This outweighs all else.
/// - The engine takes only one of them.
/// - If copy C has no entry in common with a pair that the engine may not have been able to read, the
///   number of entries, because the engine then starts an empty C.
/// - The engine's order: C, A, B.
///
/// A damaged copy C is read even beside an intact pair if it has at least as many records: if a C
/// exists, it is the copy that was written last. Otherwise the first copy with content is read.
struct CopyChoice {
  /// The copies, the primary one first.
  let ordered: [AndroidCopy]
  /// The copies that are older than the primary one, or intact and not chosen though nothing shows
  /// their age.
  private let passedOver: Set<FileRole>
  /// Whether the records show that the primary copy is newer than another intact one.
  private let isNewest: Bool

  init(_ copies: [AndroidCopy], taken: FileRole?) {
    let pair = copies.filter(\.isOfPair)
    let last = copies.first { !$0.isOfPair }
    let empty = copies.first {
      $0.file.role == taken && !$0.isBlankByDamage && $0.header.isBlank
    }
    var rivals = pair.filter { $0.whole != nil }
    if let last, last.whole != nil {
      // A pair with an unproven correction counts like an intact one.
      if rivals.isEmpty { rivals = Array(pair.filter { $0.believed != nil }.prefix(1)) }
      rivals.append(last)
    }
    var passedOver: Set<FileRole> = []
    var isNewest = false
    var primary = rivals.first
    for rival in rivals.dropFirst() {
      guard let other = primary else { break }
      let relation = CopyRelation(of: rival, to: other)
      let bits =
        Self.bits(of: rival) - Self.bits(of: other)
        + Self.bits(of: rival, relation, to: other, of: pair)
      passedOver.insert((bits > 0 ? other : rival).file.role)
      isNewest = [.newer, .older].contains(relation) || bits <= 0 && isNewest
      if bits > 0 { primary = rival }
    }
    if let empty, empty.isHonestlyEmpty || !copies.contains(where: \.hasOrStatesLog) {
      (primary, isNewest) = (empty, false)
    } else if let last, last.whole == nil,
      last.plausibleCount >= max(1, primary?.survey?.recordCount ?? 0)
    {
      (primary, isNewest, passedOver) = (last, false, [.copyA, .copyB])
    }
    primary =
      primary ?? copies.first { $0.area.count > 0 && !$0.header.isBlank }
      ?? copies.first { $0.area.count > 0 } ?? copies.first
    self.passedOver = passedOver
    self.isNewest = isNewest
    ordered =
      (primary.map { [$0] } ?? []) + copies.filter { $0.file.role != primary?.file.role }
  }

  /// Returns the evidence that `copy` alone gives for itself: whether the engine takes it, and its
  /// place in the engine's order.
  private static func bits(of copy: AndroidCopy) -> Int {
    (copy.isTaken ? AndroidPriors.takenBits : 0)
      + (copy.isOfPair ? copy.file.role == .copyA ? 1 : 0 : 2)
  }

  /// Returns the evidence that the records give for `rival` rather than `other`, one of `pair`.
  private static func bits(
    of rival: AndroidCopy, _ relation: CopyRelation, to other: AndroidCopy, of pair: [AndroidCopy]
  ) -> Int {
    switch relation {
    case .newer: return AndroidPriors.newerBits
    case .older: return -AndroidPriors.newerBits
    case .unrelated where !rival.isOfPair && !areReadable(pair, by: rival):
      let isFuller = CopyContents(rival).count >= CopyContents(other).count
      return isFuller ? AndroidPriors.fullerBits : -AndroidPriors.fullerBits
    case .same, .undecided, .unrelated: return 0
    }
  }

  /// Returns whether the engine could read `pair` when it wrote `last`, a `.kvc`.
  private static func areReadable(_ pair: [AndroidCopy], by last: AndroidCopy) -> Bool {
    // As FastKV.loadFromABFile and tryBlockingIO: copy A is read whatever the size of copy B, and
    // copy B if A is not valid, but neither if one is missing or shorter than a header.
    let whole = pair.first { $0.whole != nil }
    return whole?.decoded.isEncrypted == last.decoded.isEncrypted && pair.count == 2
      && pair.allSatisfy { $0.file.image.count >= AndroidHeader.byteCount }
  }

  /// The copy that entries are read from.
  var primary: AndroidCopy? { ordered.first }

  /// What the headers claim, the primary copy's first.
  var lengthClaims: [LengthClaim] {
    ordered.enumerated().map { index, copy in
      let likelyEnd =
        copy.believed == nil && !isEmptied(copy)
        ? LogEnd.end(of: copy, beside: partner(of: copy)) : nil
      if index == 0 {
        return copy.lengthClaim(
          .current, likelyEnd: likelyEnd, choice: isNewest ? NewestCopy.id : nil)
      }
      let lengthClaim = copy.lengthClaim(
        passedOver.contains(copy.file.role) ? .passedOver : .alternate, likelyEnd: likelyEnd)
      // Zeros do not change the lanes, so a checksum counts only for a log that decodes.
      return copy.isTaken ? lengthClaim : lengthClaim.withoutChecksum
    }
  }

  /// Returns the other copy of the pair.
  private func partner(of copy: AndroidCopy) -> AndroidCopy? {
    ordered.first { $0.file.role != copy.file.role && $0.isOfPair && copy.isOfPair }
  }

  /// Returns whether the header credibly states an empty store.
  private func isEmptied(_ copy: AndroidCopy) -> Bool {
    copy.header.isBlank && !copy.isBlankByDamage
  }
}
