import KVBytes
import KVModel

/// Chooses the primary copy, and ranks the others against it.
///
/// The first rule that applies decides:
///
/// 1. An empty copy, if the engine takes it, it is not blank by damage, and no copy has or states a
///    log. A `.kvc` that is a blank header and nothing else is always believed.
/// 2. The newest of the intact copies by ``CopyRelation``. If that does not decide, the one whose
///    external files are all there, if another lacks some, as the engine deletes those of older
///    values; then the engine's order: C, A, B. But if copy C has no entry in common with a pair that
///    the engine may not have been able to read, the one with more entries, because the engine then
///    starts an empty C.
/// 3. A damaged copy C, even beside an intact pair, if it has at least as many records. If a C
///    exists, it is the copy that was written last.
/// 4. Otherwise the first copy with content, in the order A, B, C.
struct CopyChoice {
  /// The copies, the primary one first.
  let ordered: [AndroidCopy]
  /// The copies that are older than the primary one, or intact and not chosen though nothing shows
  /// their age.
  private let passedOver: Set<FileRole>
  /// Whether the records show that the primary copy is newer than another intact one.
  private let isNewest: Bool

  init(_ copies: [AndroidCopy], taken: FileRole?, _ externals: ExternalFiles) {
    func whole(_ role: FileRole) -> AndroidCopy? {
      copies.first { $0.file.role == role && $0.whole != nil }
    }
    let empty = copies.first {
      $0.file.role == taken && !$0.isBlankByDamage && $0.header.isBlank
    }
    let last = copies.first { $0.file.role == .copyC }
    var passedOver: Set<FileRole> = []
    var newer: Set<FileRole> = []
    let pair = CopyChoice.newest(
      whole(.copyA), whole(.copyB), externals: externals, &passedOver, &newer)
    let primary: AndroidCopy?
    if let empty, empty.isHonestlyEmpty || !copies.contains(where: \.hasOrStatesLog) {
      primary = empty
    } else if let last, last.whole != nil {
      // A pair with an unproven correction counts like an intact one if it is another store.
      let other = pair ?? copies.first { $0.file.role != .copyC && $0.believed != nil }
      // As FastKV.loadFromABFile and tryBlockingIO: copy A is read whatever the size of copy B, and
      // copy B if A is not valid, but neither if one is missing or shorter than a header.
      let sizes = copies.filter { $0.file.role != .copyC }.map(\.file.image.count)
      let isReadable =
        (whole(.copyA) ?? whole(.copyB)) != nil && sizes.count == 2
        && sizes.allSatisfy { $0 >= AndroidHeader.byteCount }
        && last.decoded.isEncrypted == other?.decoded.isEncrypted
      primary = CopyChoice.newest(last, other, isReadable: isReadable, &passedOver, &newer)
    } else if let last, last.plausibleCount >= max(1, pair?.survey?.recordCount ?? 0) {
      primary = last
      passedOver = [.copyA, .copyB]
    } else {
      primary =
        pair ?? copies.first { $0.area.count > 0 && !$0.header.isBlank }
        ?? copies.first { $0.area.count > 0 } ?? copies.first
    }
    self.passedOver = passedOver
    isNewest = primary.map { newer.contains($0.file.role) } ?? false
    ordered =
      (primary.map { [$0] } ?? []) + copies.filter { $0.file.role != primary?.file.role }
  }

  /// Returns the newer of two copies, or the first if that is not known.
  ///
  /// `isReadable` is whether the engine could read the second one when it wrote the first, a `.kvc`.
  ///
  /// Inserts the role of the other copy into `passedOver`, and the role of the returned one into
  /// `newer` if the records show that it is newer.
  private static func newest(
    _ first: AndroidCopy?, _ second: AndroidCopy?, isReadable: Bool = true,
    externals: ExternalFiles? = nil, _ passedOver: inout Set<FileRole>,
    _ newer: inout Set<FileRole>
  ) -> AndroidCopy? {
    guard let first, let second else { return first ?? second }
    let relation = CopyRelation(of: first, to: second)
    func lacksFiles() -> Bool {
      externals.map { $0.miss(first) && $0.complete(second) } ?? false
    }
    let isSecond =
      switch relation {
      case .older: true
      case .newer: false
      case .same: !first.isTaken && second.isTaken
      case .undecided where lacksFiles(), .unrelated where lacksFiles(): true
      case .undecided: !first.isTaken && second.isTaken
      case .unrelated:
        !isReadable
          ? CopyContents(second).count > CopyContents(first).count
          : !first.isTaken && second.isTaken
      }
    let newest = isSecond ? second : first
    passedOver.insert((isSecond ? first : second).file.role)
    if [.older, .newer].contains(relation) { newer.insert(newest.file.role) }
    return newest
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
    ordered.first {
      $0.file.role != copy.file.role && $0.file.role != .copyC && copy.file.role != .copyC
    }
  }

  /// Returns whether the header credibly states an empty store.
  private func isEmptied(_ copy: AndroidCopy) -> Bool {
    copy.header.isBlank && !copy.isBlankByDamage
  }
}
