import KVBytes
import KVModel

extension AndroidFastKVStore {
  /// Returns the finding for a correction of a copy: what was corrected, by which evidence, and the
  /// odds.
  func checkCorrection(_ copy: AndroidCopy, _ correction: Correction) -> Finding {
    finding(
      AndroidFindings.corrected, copy, extent(copy, correction),
      correction.reason + "; coincidence odds \(correction.odds?.text ?? "")"
        + (correction.isProven ? "" : ", so every entry may be damaged"),
      odds: correction.odds
    ).following(
      from: [correction.rule] + (correction.isProven ? [] : [AndroidLikelyCorrection.id]))
  }

  /// Returns the finding for a correction that fits a copy, but that fits by chance too easily to
  /// be applied.
  func checkUnlikely(_ copy: AndroidCopy, _ correction: Correction) -> Finding {
    finding(
      AndroidFindings.correctionUnlikely, copy, extent(copy, correction),
      correction.reason + "; coincidence odds \(correction.odds?.text ?? ""), "
        + "too likely, so it is not applied",
      odds: correction.odds
    ).following(from: [correction.rule])
  }

  private func extent(_ copy: AndroidCopy, _ correction: Correction) -> Extent {
    let offsets = correction.changes.map(\.offset)
    let first = offsets.first ?? 0
    return Extent(copy.file.role, first..<(offsets.last ?? first) + 1)
  }
}
