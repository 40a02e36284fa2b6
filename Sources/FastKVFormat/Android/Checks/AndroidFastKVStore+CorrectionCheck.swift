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

  /// Returns the tags that differ in one byte from the name of the engine's own encoder.
  func checkTags() -> [Finding] {
    guard access == .readable, let primary else { return [] }
    let gaps = primary.isTaken ? [] : gaps(in: primary.area)
    let log = primary.isTaken ? primary.log ?? primary.area : primary.area
    var findings: [Finding] = []
    for case .record(let record) in records(in: log, scan: .plain, around: gaps)
    where record.operation == .put {
      guard let offset = damagedTag(of: record) else { continue }
      findings.append(
        finding(
          AndroidFindings.tagCorrected, primary,
          Extent(record.file, offset..<offset + 1),
          "the value of \"\(key(of: record).text ?? "?")\" is a set, but one byte of its tag is not "
            + "that of \(StringSetTag.name): FastKV has no encoder with that name and leaves out the "
            + "entry. It is read and written with the right tag",
          odds: CoincidenceOdds(
            checksumBits: 0, framingBits: Self.tagBits, candidates: Self.tagCandidates)))
    }
    return findings
  }

  /// The evidence in the matching bytes of a tag, at six bits for each letter.
  private static var tagBits: Int { 6 * (StringSetTag.name.utf8.count - 1) }
  /// The number of tags that differ in one byte.
  private static var tagCandidates: Double { Double(255 * StringSetTag.name.utf8.count) }

  private func extent(_ copy: AndroidCopy, _ correction: Correction) -> Extent {
    let offsets = correction.offsets
    let first = offsets.first ?? 0
    return Extent(copy.file.role, first..<(offsets.last ?? first) + 1)
  }
}
