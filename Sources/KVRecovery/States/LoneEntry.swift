import KVModel

/// The one entry of a log that the engine writes over in place, for which no checksum holds.
///
/// The app may have been killed in between: what is there then is the new value up to where it was
/// stored, and the old one behind that, under the new length.
enum LoneEntry {
  /// The record that nothing shows to be whole; nothing where there are more, or where it is.
  ///
  /// It is whole where it reaches beyond the log that `account` speaks of, which was the old one, and
  /// its last byte is not zero: before it was stored, zeros were there.
  static func halfWritten<S: Store>(
    in snapshot: Snapshot, _ account: LogAccount, of store: S
  ) -> Record? {
    guard store.overwritesLoneEntry, snapshot.live.count == 1, snapshot.recordCount == 1,
      let record = snapshot.live.first
    else { return nil }
    let area = store.logArea
    let isNew = account.log.map { $0.end < record.extent.end } ?? false
    let isStored =
      !store.isEncrypted && area.file == record.file
      && store.lastNonzero(in: Extent(area.file, record.offset..<area.end)) == record.extent.end - 1
    return isNew && isStored ? nil : record
  }
}
