import KVBytes
import KVModel

extension MMKVStore {
  /// The number of candidates for a correction that a finding lists.
  private static let candidateCount = 8

  /// Returns findings on what was corrected, or could be.
  func checkCorrections() -> [Finding] {
    var findings: [Finding] = []
    if let vector = correctedVector, access == .readable {
      findings.append(finding(vector: vector))
    }
    let candidates = declinedCorrections.filter { !$0.changes.isEmpty }
    if let first = candidates.first { findings.append(finding(candidates: candidates, first)) }
    if let logCorrection { findings.append(finding(logCorrection)) }
    return findings
  }

  /// Returns the finding that the first block needs `vector` rather than the one that the meta file
  /// leads to.
  private func finding(vector: [UInt8]) -> Finding {
    if vector == meta.vector || vector == key?.impliedVector {
      return Finding(
        MMKVFindings.vectorByOtherVersion, at: Extent(.meta, MetaInfo.Field.version),
        "the meta version is \(meta.version), but the first block decrypts to records only with the "
          + (vector == meta.vector
            ? "IV that versions from \(MetaInfo.Version.vector) on store: the version is damaged"
            : "key itself as the IV, as in versions below \(MetaInfo.Version.vector): the "
              + "version or the IV is damaged"))
    }
    let masks = zip(vector, meta.vector).map { $0 ^ $1 }
    let index = masks.firstIndex { $0 != 0 } ?? 0
    let offset = MetaInfo.Field.vector.lowerBound + index
    return Finding(
      MMKVFindings.vectorCorrected, at: Extent(.meta, offset..<offset + 1),
      "the first block decrypts to records only with one bit of the IV flipped "
        + "(\(Hexadecimal.text(offset, digits: 2)) in the meta file, XOR "
        + "\(Hexadecimal.text(masks[index], digits: 2)))")
  }

  /// Returns the finding about a correction that was made, and its odds.
  private func finding(_ correction: Correction) -> Finding {
    let changes = correction.changes
    let first = changes[0]
    let last = changes.last { $0.file == first.file } ?? first
    return Finding(
      MMKVFindings.corrected, at: Extent(first.file, first.offset..<last.offset + 1),
      correction.reason + chance(of: correction)
        + (correction.isProven ? "" : ", likely but not proven"),
      odds: correction.odds
    ).following(
      from: [correction.rule] + (correction.isProven ? [] : [LikelyCorrection.id]))
  }

  /// Returns the finding about corrections of which any may be the right one.
  private func finding(candidates: [Correction], _ first: Correction) -> Finding {
    let size = [.copied, .exchanged].first { $0.rule.id == first.rule } ?? CorrectionSize.bit
    let listed = candidates.prefix(Self.candidateCount).map { size.places(of: $0.changes) }
    let rest = candidates.count - listed.count
    return Finding(
      MMKVFindings.correctionCandidates, at: lengthClaims.first?.log,
      "a small change would make the checksum match, in \(candidates.count) "
        + (candidates.count == 1 ? "way" : "ways") + ": \(listed.joined(separator: "; or "))"
        + (rest > 0 ? "; and \(rest) more" : "")
        + ". Coincidence odds: \(first.odds?.text ?? ""); "
        + "nothing is changed", odds: first.odds
    ).following(from: candidates.map(\.rule))
  }

  private func chance(of correction: Correction) -> String {
    guard let odds = correction.odds else { return "" }
    return "; coincidence odds \(odds.text)"
  }
}

extension CorrectionSize {
  /// Returns the places of `changes` for people.
  func places(of changes: [ByteChange]) -> String {
    if self == .copied || self == .exchanged, let first = changes.first, let last = changes.last {
      return
        "\(changes.count.inBytes) from \(Hexadecimal.text(first.offset, digits: 2)) "
        + "to \(Hexadecimal.text(last.offset, digits: 2)) in the \(MMKVStore.roleNames[first.file] ?? "") file"
        + (self == .copied ? ", from the leftovers of the older log" : "")
    }
    return changes.map { change in
      "\(Hexadecimal.text(change.offset, digits: 2)) in the \(MMKVStore.roleNames[change.file] ?? "") file, XOR "
        + Hexadecimal.text(change.mask, digits: 2)
    }.joined(separator: " and ")
  }
}
