import KVBytes
package import KVModel

extension MMKVStore {
  /// Returns the limits on the trust in records: of all after a likely correction or if the vector
  /// is uncertain, of those left in plaintext, of values whose form is not
  /// certain, and of one that may be that of another moment.
  package func conclusions(about live: [Record]) -> [Conclusion] {
    let islands = corrections.flatMap(\.edits).compactMap { edit in
      if case .plaintext(let extent) = edit {
        Conclusion(.limit(.within(extent), []), by: PlaintextRecords.self)
      } else {
        nil
      }
    }
    if let logCorrection, !logCorrection.isProven {
      let all = Subject.beginning(in: Extent(.data, storedData.range))
      return islands + [Conclusion(.limit(all, [.mayBeDamaged]), by: LikelyCorrection.self)]
    }
    let found = islands + contradictedForms(live) + otherMoment()
    guard vectorTrust == .unverified || lacksVector else { return found }
    // Where each record begins depends on the ones before it, and so on the first block.
    let all = Subject.beginning(in: Extent(.data, storedData.range))
    return found + [Conclusion(.limit(all, [.mayBeDamaged]), by: FirstBlockVector.self)]
  }

  /// Whether the meta file was cut before the end of the vector; the oldest engines store only the
  /// checksum.
  private var lacksVector: Bool {
    isEncrypted
      && (MetaInfo.Field.digest.upperBound + 1..<MetaInfo.Field.vector.upperBound)
        .contains(view.metaCount)
  }

  /// Returns what holds of values that do not show whether they end in an expiry time, if the flag
  /// contradicts those that do.
  private func contradictedForms(_ live: [Record]) -> [Conclusion] {
    guard expiryForm.contradiction != .none else { return [] }
    let unclear = live.filter { record in
      !withValue(of: record) { expiryForm.isShown(by: $0) }
    }
    guard !unclear.isEmpty else { return [] }
    return [Conclusion(.limit(.records(Set(unclear)), [.mayBeDamaged]), by: ExpiryFlag.self)]
  }

  /// Returns what holds of a lone record of which a correction changes the key or the value, and
  /// nothing else shows that they are damaged.
  ///
  /// The engine overwrites the value of a lone entry in place, so the checksum may be that of the
  /// moment before.
  private func otherMoment() -> [Conclusion] {
    guard !isEncrypted, let correction = logCorrection, let log = lengthClaims.first?.log,
      correction.changes.allSatisfy({ $0.file == .data })
    else { return [] }
    let count = records(in: log, scan: .plain, around: []).prefix(3).count { event in
      if case .record = event { true } else { false }
    }
    guard count == 1, decodesAlike(found, in: log) else { return [] }
    return correction.changes.map { change in
      let byte = Extent(.data, change.offset..<change.offset + 1)
      return Conclusion(.limit(.overlapping(byte), [.mayBeStale]), by: OtherMoment.self)
    }
  }

  /// Returns whether the log has the same records in `other`, apart from the bytes of their keys and
  /// values.
  private func decodesAlike(_ other: MMKVStore, in log: Extent) -> Bool {
    var events = records(in: log, scan: .plain, around: []).makeIterator()
    for event in other.records(in: log, scan: .plain, around: []) {
      guard let own = events.next(), own == event else { return false }
      if case .gap = event { return false }
    }
    return events.next() == nil
  }
}
