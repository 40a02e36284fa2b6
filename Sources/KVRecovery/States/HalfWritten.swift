import KVModel

/// The record that the app may have been about to write over when it was killed, in a log for which no
/// checksum holds.
///
/// MMKV writes in place: the new value of a lone entry over the old one, and the records that a rewrite
/// keeps over those in front of them. Where it was stopped, the lengths are those of the new record, and
/// the end of its value is what stood there before. So it is the last one before the reading breaks off.
enum HalfWritten {
  /// The record of `snapshot` that nothing shows to be whole; nothing where there is none.
  ///
  /// A lone record is whole where it reaches beyond the log that `account` speaks of, which was the
  /// old one, and its last byte is not zero: before it was stored, zeros were there.
  static func record<S: Store>(
    in snapshot: Snapshot, _ account: LogAccount, of store: S
  ) -> Record? {
    guard store.isRewrittenInPlace else { return nil }
    if let gap = snapshot.gaps.first {
      return snapshot.live.first { $0.extent.end == gap.extent.offset }
    }
    guard snapshot.live.count == 1, snapshot.recordCount == 1, let record = snapshot.live.first
    else { return nil }
    let area = store.logArea
    let isNew = account.log.map { $0.end < record.extent.end } ?? false
    let isStored =
      !store.isEncrypted && area.file == record.file
      && store.lastNonzero(in: Extent(area.file, record.offset..<area.end)) == record.extent.end - 1
    return isNew && isStored ? nil : record
  }
}
