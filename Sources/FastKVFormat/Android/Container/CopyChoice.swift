import KVBytes
import KVModel

/// Which copy to go by, and what the others are to it.
///
/// 1. An empty store, if the engine takes such a copy, no other copy has or states a log, and the copy is
///    not blank by damage; a `.kvc` of nothing but a blank header is always believed.
/// 2. Of the copies that hold, the newest by ``CopyRelation``; where that does not tell, as the
///    engine: C, A, B. But where copy C and the pair have nothing in common, the one with more
///    entries: an engine that could not read the pair begins a C from nothing.
/// 3. Before a pair that holds, a damaged copy C, which is written last where it exists, if it has at
///    least as many records.
/// 4. Else what there is, A first.
struct CopyChoice {
  /// The copies, the one to go by first.
  let ordered: [AndroidCopy]
  private let older: Set<FileRole>
  /// Whether records show that the copy to go by is newer than another one that holds.
  private let isNewest: Bool

  init(_ copies: [AndroidCopy], taken: FileRole?) {
    func whole(_ role: FileRole) -> AndroidCopy? {
      copies.first { $0.file.role == role && $0.whole != nil }
    }
    let empty = copies.first {
      $0.file.role == taken && !$0.isBlankByDamage && $0.header.isBlank
    }
    let last = copies.first { $0.file.role == .copyC }
    var older: Set<FileRole> = []
    var newer: Set<FileRole> = []
    let pair = CopyChoice.newest(whole(.copyA), whole(.copyB), &older, &newer)
    let primary: AndroidCopy?
    if let empty, empty.isHonestlyEmpty || !copies.contains(where: \.hasOrStatesLog) {
      primary = empty
    } else if let last, last.whole != nil {
      // A pair that was corrected without proof is no less than one that holds, if it is another store.
      let other = pair ?? copies.first { $0.file.role != .copyC && $0.believed != nil }
      primary = CopyChoice.newest(last, other, &older, &newer)
    } else if let last, CopyChoice.walkCount(last) >= max(1, pair?.survey?.recordCount ?? 0) {
      primary = last
      older = [.copyA, .copyB]
    } else {
      primary =
        pair ?? copies.first { $0.area.count > 0 && !$0.header.isBlank }
        ?? copies.first { $0.area.count > 0 } ?? copies.first
    }
    self.older = older
    isNewest = primary.map { newer.contains($0.file.role) } ?? false
    ordered =
      (primary.map { [$0] } ?? []) + copies.filter { $0.file.role != primary?.file.role }
  }

  /// The newer of two copies that hold, the first where nothing tells; the roles of older ones go
  /// into `older`, that of one that records show to be newer into `newer`.
  private static func newest(
    _ first: AndroidCopy?, _ second: AndroidCopy?, _ older: inout Set<FileRole>,
    _ newer: inout Set<FileRole>
  ) -> AndroidCopy? {
    guard let first, let second else { return first ?? second }
    let relation = CopyRelation(of: first, to: second)
    let isSecond =
      switch relation {
      case .older: true
      case .newer: false
      case .same: !first.isTaken && second.isTaken
      case .undecided: !first.isTaken && second.isTaken
      case .unrelated:
        first.file.role == .copyC
          ? CopyContents(second).count > CopyContents(first).count
          : !first.isTaken && second.isTaken
      }
    let newest = isSecond ? second : first
    older.insert((isSecond ? first : second).file.role)
    if [.older, .newer].contains(relation) { newer.insert(newest.file.role) }
    return newest
  }

  /// The copy to go by.
  var primary: AndroidCopy? { ordered.first }

  /// What the headers say, that of the copy to go by first.
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
        older.contains(copy.file.role) ? .older : .alternate, likelyEnd: likelyEnd)
      // Zeros after a log cost its checksum nothing: it speaks for a log that decodes.
      return copy.isTaken ? lengthClaim : lengthClaim.withoutChecksum
    }
  }

  /// The other copy of the pair.
  private func partner(of copy: AndroidCopy) -> AndroidCopy? {
    ordered.first {
      $0.file.role != copy.file.role && $0.file.role != .copyC && copy.file.role != .copyC
    }
  }

  /// Whether the header says in good order that there is nothing.
  private func isEmptied(_ copy: AndroidCopy) -> Bool {
    copy.header.isBlank && !copy.isBlankByDamage
  }

  private static func walkCount(_ copy: AndroidCopy) -> Int {
    let plausibility = AndroidPlausibility(copy.decoded)
    let image = copy.decoded.stored
    let area = copy.area.range
    let gaps = AndroidGrammar(image, copy.file.role, plausibility).gaps(in: area)
    return AndroidShapes(image, in: area, around: gaps).reduce(0) {
      $0 + (plausibility.accepts($1) ? 1 : 0)
    }
  }
}
