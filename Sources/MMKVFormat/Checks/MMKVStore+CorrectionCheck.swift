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
            ? "vector that versions from \(MetaInfo.Version.vector) on have: the version is damaged"
            : "key itself for a vector, as versions below \(MetaInfo.Version.vector) have it: the "
              + "version or the vector is damaged"))
    }
    let masks = zip(vector, meta.vector).map { $0 ^ $1 }
    let index = masks.firstIndex { $0 != 0 } ?? 0
    let offset = MetaInfo.Field.vector.lowerBound + index
    return Finding(
      MMKVFindings.vectorCorrected, at: Extent(.meta, offset..<offset + 1),
      "the first block decrypts to records with one bit of the vector flipped back "
        + "(\(Hexadecimal.text(offset, digits: 2)) of the meta file XOR "
        + "\(Hexadecimal.text(masks[index], digits: 2))), and with no other")
  }

  /// Returns the finding about a correction that was made, and its odds.
  private func finding(_ correction: Correction) -> Finding {
    let changes = correction.changes
    let first = changes[0]
    let last = changes.last { $0.file == first.file } ?? first
    return Finding(
      MMKVFindings.corrected, at: Extent(first.file, first.offset..<last.offset + 1),
      correction.reason + chance(of: correction)
        + (correction.isProven ? "" : ", which makes it likely and no more"),
      odds: correction.odds
    ).following(
      from: [correction.rule] + (correction.isProven ? [] : [LikelyCorrection.id]))
  }

  /// Returns the finding about corrections of which any may be the right one.
  private func finding(candidates: [Correction], _ first: Correction) -> Finding {
    let size = CorrectionSize(first.rule) ?? .bit
    let listed = candidates.prefix(Self.candidateCount).map { size.places(of: $0.changes) }
    let rest = candidates.count - listed.count
    return Finding(
      MMKVFindings.correctionCandidates, at: lengthClaims.first?.log,
      "the checksum also holds with \(size.name) corrected, in \(candidates.count) "
        + (candidates.count == 1 ? "way" : "ways") + ": \(listed.joined(separator: "; or "))"
        + (rest > 0 ? "; and \(rest) more" : "")
        + ". Other damage looks like that with a chance of \(first.odds?.text ?? ""), "
        + "so nothing is changed", odds: first.odds
    ).following(from: candidates.map(\.rule))
  }

  private func chance(of correction: Correction) -> String {
    guard let odds = correction.odds else { return "" }
    return "; other damage looks like that with a chance of \(odds.text)"
  }
}

extension CorrectionSize {
  /// Returns the places of `changes` for people.
  func places(of changes: [ByteChange]) -> String {
    if self == .copied, let first = changes.first, let last = changes.last {
      return "\(changes.count.grouped) bytes from \(Hexadecimal.text(first.offset, digits: 2)) "
        + "to \(Hexadecimal.text(last.offset, digits: 2)) of the \(MMKVStore.roleNames[first.file] ?? "") file, as what is "
        + "left of the older log has them"
    }
    return changes.map { change in
      "\(Hexadecimal.text(change.offset, digits: 2)) of the \(MMKVStore.roleNames[change.file] ?? "") file XOR "
        + Hexadecimal.text(change.mask, digits: 2)
    }.joined(separator: ", ")
  }
}
