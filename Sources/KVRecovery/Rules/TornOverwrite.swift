import KVBytes
import KVModel

/// The record that may be partly overwritten, if no checksum matches over the log.
enum TornOverwrite: LogRule {
  static let id: RuleID = "log.torn-overwrite"
  static let premise = """
    MMKV overwrites live records in place. The record is the last one before the first gap, or \
    alone in an unverified log; and nothing shows that its last byte was stored
    """
  static let conclusion = "the end of its value may be what was there before"
  static let ceiling = Evidence.guess
  static let failure =
    "most such records are whole; they are set aside because of the few that are not"

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    guard !investigation.isEndShown, let log = investigation.log,
      let lengthClaim = investigation.lengthClaim,
      let record = TornRecord.record(
        in: investigation.snapshot, log, lengthClaim, of: investigation.store),
      !investigation.isSettled(record)
    else { return [] }
    return [Conclusion(.limit(.records([record]), []), by: Self.self)]
  }
}

/// The record that the app may have been overwriting when it was killed, in a log for which no
/// checksum matches.
///
/// MMKV writes in place: the new value of a lone entry over the old value, and the records that a
/// rewrite keeps over earlier records. If it is stopped during the write, the lengths are those of
/// the new record, and the end of its value has older bytes. It is the last record before the
/// parser loses sync.
enum TornRecord {
  /// Returns the record of `snapshot`, from the log at `log`, that may be torn; `nil` if there is
  /// none.
  ///
  /// A lone record is whole if no stored checksum contradicts the log, because then nothing shows
  /// that a write was interrupted. It is also whole if it reaches beyond the old log, which
  /// `lengthClaim` is about, and its last byte is not zero, because zeros were there before.
  static func record<S: Store>(
    in snapshot: Snapshot, _ log: Extent, _ lengthClaim: LengthClaim, of store: S
  ) -> Record? {
    guard store.traits.isRewrittenInPlace, let first = snapshot.live.first else { return nil }
    if isLone(first, in: log, around: snapshot.gaps, of: store) {
      guard lengthClaim.checksum != nil else { return nil }
      let reachesBeyond = lengthClaim.log.map { $0.end < first.extent.end } ?? false
      return reachesBeyond && endsInZeros(after: first, of: store) ? nil : first
    }
    guard let gap = snapshot.gaps.first else { return nil }
    let last = snapshot.live.first { $0.extent.end == gap.extent.offset }
    return gap.cause == .zeros && last.map { endsInZeros(after: $0, of: store) } == true
      ? nil : last
  }

  /// Returns whether `record` is the first one in the log, and no plausible record directly follows
  /// it.
  private static func isLone<S: Store>(
    _ record: Record, in log: Extent, around gaps: [Gap], of store: S
  ) -> Bool {
    var isFirst = true
    for event in store.records(in: log, scan: .plain, around: gaps) {
      switch event {
      case .filler: continue
      case .gap: return !isFirst
      case .record(let other):
        if !isFirst { return !store.implausible([other]).isEmpty }
        guard other == record else { return false }
        isFirst = false
      }
    }
    return !isFirst
  }

  /// Returns whether the last byte of `record` was written, and only zeros follow it.
  private static func endsInZeros<S: Store>(after record: Record, of store: S) -> Bool {
    guard !store.isEncrypted else { return false }
    let file = store.stored(record.file)
    let start = record.extent.end
    return file[start - 1] != 0 && file.isZero(in: start..<min(start + zeroCount, file.count))
  }

  /// The number of consecutive zeros that never occur in written bytes.
  private static var zeroCount: Int { 16 }
}
