import KVBytes
package import KVModel

extension MMKVStore {
  /// Returns the limits on the trust in records: of all after a likely correction or if the vector
  /// is not known to be right, of those left in plaintext or moved, of values whose form is not
  /// certain, and of one that may be that of another moment.
  package func conclusions(about live: [Record], in log: Extent?) -> [Conclusion] {
    let islands = corrections.flatMap(\.edits).compactMap { edit in
      switch edit {
      case .plaintext(let extent):
        Conclusion(.limit(.within(extent), []), by: PlaintextRecords.self)
      case .shifted(let extent, _): Conclusion(.limit(.within(extent), []), by: MovedBlocks.self)
      default: nil
      }
    }
    if let logCorrection, !logCorrection.isProven {
      let all = Subject.beginning(in: Extent(.data, storedData.range))
      return islands + [Conclusion(.limit(all, [.mayBeDamaged]), by: LikelyCorrection.self)]
    }
    let found = islands + contradictedForms(live) + otherMoment(live)
    // A log that begins later does not depend on the vector.
    guard let log, log.offset == DataHeader.byteCount, !isDecodedForSure(log) else { return found }
    // Where each record begins depends on the ones before it, and so on the first block.
    let all = Subject.beginning(in: Extent(.data, storedData.range))
    return found + [Conclusion(.limit(all, [.mayBeDamaged]), by: FirstBlockVector.self)]
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

  /// Returns what holds of records of which a correction changes the key or the value, and nothing
  /// else shows that they are damaged.
  ///
  /// The checksum may be that of an earlier moment. The engine overwrites the value of a lone entry
  /// in place; and if it rewrites a log twice and only a number was set in between, both logs differ
  /// in as few bits as a damaged one. If the log was never rewritten when the checksum was stored,
  /// the records that follow it are those of that moment, from before it was rewritten.
  private func otherMoment(_ live: [Record]) -> [Conclusion] {
    guard let correction = logCorrection, let log = lengthClaims.first?.log,
      correction.changes.allSatisfy({ $0.file == .data })
    else { return [] }
    if correction.rule == CopiedBytes.id, traits.olderLogCount == 0 {
      let all = Subject.beginning(in: Extent(.data, storedData.range))
      return [Conclusion(.limit(all, [.mayBeStale]), by: OtherMoment.self)]
    }
    let isOther =
      if hasSeveralRecords(log) {
        decodesAlike(found, in: log) && correction.changes.allSatisfy { isInNumber($0.offset, log) }
      } else {
        decodesAlike(found, in: log) || beginsWithOtherValue(found, in: log)
      }
    guard isOther else { return [] }
    let changed = live.filter { record in
      correction.changes.contains { record.extent.range.contains($0.offset) }
    }
    guard !changed.isEmpty else { return [] }
    return [Conclusion(.limit(.records(Set(changed)), [.mayBeStale]), by: OtherMoment.self)]
  }

  /// Returns whether the log begins in `other` with a plausible record of the lone entry, whose value
  /// has another length.
  private func beginsWithOtherValue(_ other: MMKVStore, in log: Extent) -> Bool {
    guard let own = firstRecord(of: log), let record = other.firstRecord(of: log) else {
      return false
    }
    return key(of: own) == other.key(of: record) && other.implausible([record]).isEmpty
  }

  private func firstRecord(of log: Extent) -> Record? {
    for case .record(let record) in records(in: log, scan: .plain, around: []) { return record }
    return nil
  }

  private func hasSeveralRecords(_ log: Extent) -> Bool {
    var count = 0
    for case .record in records(in: log, scan: .plain, around: []) {
      count += 1
      if count == 2 { return true }
    }
    return false
  }

  /// Returns whether the byte at `offset` is in a value of `log` that is an integer or a Boolean, and
  /// little different as found.
  private func isInNumber(_ offset: Int, _ log: Extent) -> Bool {
    for case .record(let record) in records(in: log, scan: .plain, around: [])
    where record.extent.end > offset {
      guard record.value.contains(offset), let corrected = number(of: record),
        let found = found.number(of: record)
      else { return false }
      return max(corrected, found) - min(corrected, found) <= Self.usualStep
    }
    return false
  }

  /// The largest difference between two successive values of a counter or an index that is usual.
  private static var usualStep: UInt64 { 31 }

  /// Returns the integer that is the whole value of `record`, apart from its time of expiry; `nil`
  /// if the value is something else.
  private func number(of record: Record) -> UInt64? {
    withValue(of: record) { bytes in
      let count = bytes.count - (hasExpiryTime(record) ? ExpirySuffix.byteCount : 0)
      return bytes.minimalVarint(at: 0).flatMap { $0.end == count ? UInt64($0.value) : nil }
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
