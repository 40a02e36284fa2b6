import KVBytes
import KVModel
import SystemPackage

extension AndroidFastKVStore {
  /// Returns the findings that follow from comparing the copies.
  func checkAmongCopies() -> [Finding] {
    checkPair() + checkC()
  }

  private func checkPair() -> [Finding] {
    // A copy that cannot be read is not missing, and there is nothing to compare.
    if unread.contains(where: { [.copyA, .copyB].contains($0.role) }) { return [] }
    switch (copy(.copyA), copy(.copyB)) {
    case (let only?, nil), (nil, let only?):
      return [
        finding(
          AndroidFindings.copyMissing, as: .warning, only, nil,
          "the other copy of the pair is missing; FastKV recreates it")
      ]
    case (let a?, let b?):
      guard let first = a.whole, let second = b.whole else { return checkDisputes(a, b) }
      let relation = CopyRelation(of: a, to: b)
      let words: String
      switch relation {
      case .same: return []
      case .newer: words = "A continues where B ends, so A is newer"
      case .older: words = "B continues where A ends, so B is newer"
      case .undecided, .unrelated: words = "it is unknown which is newer"
      }
      return [
        finding(
          AndroidFindings.copiesDiffer,
          as: severity(of: relation, a, first, b, second),
          a, first,
          "the checksums of both copies match, but the copies differ (\(first.count.grouped) and \(second.count.inBytes)): \(words). "
            + "FastKV uses A if its length was written, and overwrites B")
      ]
    case (nil, nil): return checkLoss()
    }
  }

  /// Returns the finding for external files without any copy.
  private func checkLoss() -> [Finding] {
    guard copies.isEmpty, unread.isEmpty, let first = externals.files.first else { return [] }
    let count = externals.files.count
    return [
      Finding(
        AndroidFindings.copyMissing, .damage, in: first,
        "the store has no copy (.kva, .kvb or .kvc), so the keys of "
          + (count == 1 ? "its external file are" : "its \(count.grouped) external files are")
          + " lost; FastKV shows an empty store")
    ]
  }

  /// Returns the severity of a difference between two intact copies of the pair.
  ///
  /// A write that ended between the two copies leaves one entry different. It cannot leave two logs
  /// of the same length of which neither is the newer.
  private func severity(
    of relation: CopyRelation, _ a: AndroidCopy, _ first: Extent, _ b: AndroidCopy, _ second: Extent
  ) -> Finding.Severity {
    switch relation {
    case .undecided where first.count == second.count: .damage
    case .undecided, .unrelated:
      CopyContents(a).keys(notSameIn: CopyContents(b)).count > 1 ? .damage : severityOfDifference
    case .same, .newer, .older: severityOfDifference
    }
  }

  /// Returns the findings for an intact copy beside a damaged one that has other values at the same
  /// places.
  private func checkDisputes(_ a: AndroidCopy, _ b: AndroidCopy) -> [Finding] {
    let stale = [a, b].compactMap { copy in
      doubts.outdated[copy.file.role].map { keys in
        finding(
          AndroidFindings.copyMayBeOlder, copy, copy.whole,
          "the checksum matches in this copy only. The other copy stores a different checksum and has different "
            + "records, so it may be newer; then \(keys.count.counted("entry", "entries")) here may be stale, "
            + "and entries may be missing")
      }
    }
    return stale
      + [a, b].compactMap { copy in
        guard let keys = doubts.disputed[copy.file.role], let log = copy.whole else { return nil }
        return finding(
          AndroidFindings.copiesDisagree, copy, log,
          "the checksum matches in this copy only, and \(keys.count.grouped) of its entries have different values "
            + "in the other. Changes that cancel out in a lane are invisible to the checksum, so either "
            + "value may be right")
      }
  }

  private func checkC() -> [Finding] {
    var findings: [Finding] = []
    if let c = copy(.copyC), c.whole != nil, !isTemporaryInPlaceOfC,
      let pair = copies.first(where: { $0.file.role != .copyC && $0.believed != nil })
    {
      let words: String?
      switch CopyRelation(of: c, to: pair) {
      case .same: words = nil
      case .newer: words = "it continues where the pair ends, so it is newer"
      case .older: words = "the pair continues where it ends, so the pair is newer"
      case .undecided: words = "it is unknown which is newer"
      case .unrelated:
        words = "they have no entry in common, so one of them was started from scratch"
      }
      if let words {
        findings.append(
          finding(
            AndroidFindings.copyCDiffers, as: severityOfDifference, c, c.headerExtent,
            "this copy (\(CopyContents(c).count.counted("entry", "entries"))) differs from the pair beside it "
              + "(\(CopyContents(pair).count.counted("entry", "entries"))): \(words). FastKV uses this copy without "
              + "checking which is newer, and in its default mode overwrites the pair"))
      }
    }
    if isTemporaryInPlaceOfC, let c = copy(.copyC) {
      findings.append(
        finding(
          AndroidFindings.tmpPassedOver, c, c.headerExtent,
          "this file is intact and the .kvc is not; FastKV examines only the .kvc and deletes both")
      )
    }
    return findings
  }

  /// The severity of a difference between copies: damage if the engine reads another copy than the
  /// newest.
  private var severityOfDifference: Finding.Severity {
    guard let engines = engineModel.load.log?.file, let primary, primary.believed != nil else {
      return .warning
    }
    return primary.file.role == engines ? .warning : .damage
  }
}
