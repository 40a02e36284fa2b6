import KVBytes
import KVModel

/// Finds the end of a log whose size field is wrong, by its checksum.
///
/// The digest of the log's first bytes is carried along from record to record; where it equals the
/// stored digest, the log ends. That two ends fit, or that a wrong one does, has a chance of
/// one in 2³² for each record.
///
/// What it assumes: that the log itself is whole up to its end. Time is linear.
struct EndSearch {
  let digest: UInt32

  /// The log that begins where `store`'s log area does and has this digest; nothing if there is none.
  ///
  /// A log without records is no answer: the digest of nothing proves nothing.
  func log<S: Store>(in store: S) -> Extent? {
    let area = store.logArea
    let image = store.stored(area.file)
    var running = CRC32()
    var position = area.offset
    for event in store.records(in: area, scan: .plain) {
      switch event {
      case .gap: return nil
      case .filler(let extent):
        running.update(image.span, in: position..<extent.end)
        position = extent.end
      case .record(let record):
        running.update(image.span, in: position..<record.extent.end)
        position = record.extent.end
        if running.value == digest { return Extent(area.file, area.offset..<position) }
      }
    }
    return nil
  }
}
