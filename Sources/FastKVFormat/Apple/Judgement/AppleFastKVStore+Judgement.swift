import KVBytes
package import KVModel

extension AppleFastKVStore {
  /// Returns the entries that may be stale.
  ///
  /// These are the entries before a record that was found without its own lengths, because it may
  /// have had a longer or shorter key, and those whose keys may be set by records after the log.
  package func conclusions(about live: [Record], in log: Extent?) -> [Conclusion] {
    let end = lengthClaims.last?.log?.end ?? image.count
    guard let evidence else { return [] }
    let last = evidence.survey.dividedOffsets.last { $0 < end } ?? 0
    let before = Set(live.filter { $0.offset < last })
    var conclusions: [Conclusion] = []
    if !before.isEmpty {
      conclusions.append(Conclusion(.stale(.records(before)), by: AppleDividedRecord.self))
    }
    guard case .undecided(let keys, _) = evidence.judgement.verdict,
      let rule = evidence.judgement.rule
    else { return conclusions }
    let undecided = Set(live.filter { keys.contains(key(of: $0)) })
    if !undecided.isEmpty {
      conclusions.append(Conclusion(.stale(.records(undecided)), by: rule))
    }
    return conclusions
  }

  /// What the header says about where the log ends, and once the store is judged, what the records
  /// say if the header is wrong.
  package var lengthClaims: [LengthClaim] {
    let field = AppleHeader.Field.length.clamped(to: image.range)
    let statedAt = field.isEmpty ? nil : Extent(.data, field)
    let judgement = evidence?.judgement
    let stated = evidence?.stated ?? StatedLength(header, of: image)
    let rule = corrections.first { !$0.changes.isEmpty }?.rule
    var claims = [
      LengthClaim(
        .current, origin: "length in the header", count: Int(clamping: header.length),
        statedAt: statedAt, log: stated.log.map { Extent(.data, $0) }, digest: nil, checksum: nil,
        isEndUnverified: judgement.map { $0.isEndUnverified || $0.end != nil } ?? false)
    ]
    if let judgement, let end = judgement.end {
      claims.append(
        LengthClaim(
          .alternate, origin: end.basis.origin, count: end.offset - AppleHeader.byteCount,
          statedAt: end.basis == .lowHalf ? statedAt : nil,
          log: Extent(.data, AppleHeader.byteCount..<end.offset), digest: nil,
          checksum: end.last.checksumClaim(in: image), foundBy: judgement.rule?.id,
          isEndUnverified: judgement.isEndUnverified))
    }
    return claims.map { claim in rule.map { claim.corrected(by: $0) } ?? claim }
  }
}

extension AppleRecordShape {
  /// Returns the record's own checksum, compared with the bytes of `image`.
  fileprivate func checksumClaim(in image: FileImage) -> ChecksumClaim {
    let start = range.lowerBound
    let covered = start..<start + AppleRecordShape.coveredCount(checksumOffset - start)
    let stored = checksumOffset..<checksumOffset + 2
    return ChecksumClaim(
      .crc16, over: Extent(.data, covered), stored: image.littleEndian(in: stored),
      at: Extent(.data, stored), computed: UInt64(CRC16.digest(of: image, in: covered)))
  }
}
