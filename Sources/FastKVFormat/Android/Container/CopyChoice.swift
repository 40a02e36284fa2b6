import KVBytes
import KVModel

/// Which copy to go by, and what the others are to it.
///
/// 1. The copy that the engine takes, unless its header is blank by damage, or blank while another
///    copy holds a log that a checksum vouches for.
/// 2. Else copy C, which is written last where it exists, if it has at least as many records as the
///    others; they are then older.
/// 3. Else the copy whose checksum holds, A first.
struct CopyChoice {
  /// The copies, the one to go by first.
  let ordered: [AndroidCopy]
  private let isOthersFormer: Bool

  init(_ copies: [AndroidCopy], taken: FileRole?) {
    func isFull(_ copy: AndroidCopy) -> Bool { copy.isTaken && copy.log?.count ?? 0 > 0 }
    let full = copies.filter(isFull)
    let chosen = copies.first { $0.file.role == taken && !$0.isBlankByDamage }
    var former = false
    let primary: AndroidCopy?
    if let chosen, !chosen.header.isBlank || full.isEmpty {
      primary = chosen
    } else if let last = copies.first(where: { $0.file.role == .copyC }), !isFull(last),
      CopyChoice.walkCount(last) >= max(1, full.map(\.recordCount).max() ?? 0)
    {
      primary = last
      former = true
    } else {
      primary =
        full.first { $0.file.role == .copyC } ?? full.first
        ?? copies.first { $0.area.count > 0 && !$0.header.isBlank }
        ?? copies.first { $0.area.count > 0 } ?? copies.first
    }
    isOthersFormer = former
    ordered =
      (primary.map { [$0] } ?? []) + copies.filter { $0.file.role != primary?.file.role }
  }

  /// The copy to go by.
  var primary: AndroidCopy? { ordered.first }

  /// What the headers say, that of the copy to go by first.
  var accounts: [LogAccount] {
    ordered.enumerated().map { index, copy in
      if index == 0 { return copy.account(.current) }
      return copy.account(
        isOthersFormer ? .former : .alternate)
    }
  }

  private static func walkCount(_ copy: AndroidCopy) -> Int {
    let plausibility = AndroidPlausibility(copy.decoded)
    let image = copy.decoded.stored
    let area = copy.area.range
    let gaps = AndroidResynchronizer(image, copy.file.role, plausibility).gaps(in: area)
    return AndroidShapes(image, in: area, around: gaps).reduce(0) {
      $0 + (plausibility.accepts($1) ? 1 : 0)
    }
  }
}
