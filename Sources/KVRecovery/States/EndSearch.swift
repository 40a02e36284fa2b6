import KVBytes
import KVModel

/// Finds the end of a log whose size field is wrong, by its checksum.
///
/// The digest of the log's first bytes is carried along from record to record; where it equals the
/// stored digest, the log ends. That two ends fit, or that a wrong one does, has a chance of
/// one in 2³² for each record.
///
/// What it assumes: that the log's bytes are whole up to its end. They need not all decode: under a
/// cipher whose vector is lost, the first do not. Time is linear.
struct EndSearch {
  let digest: UInt32

  /// The log that begins where `area` does, ends within it and has this digest, read around `gaps`;
  /// nothing if there is none.
  ///
  /// A log without records is no answer: the digest of nothing proves nothing.
  func log<S: Store>(in store: S, within area: Extent, around gaps: [Gap]) -> Extent? {
    let image = store.stored(area.file)
    var running = CRC32()
    var position = area.offset
    for event in store.records(in: area, scan: .plain, around: gaps) {
      running.update(image.span, in: position..<event.extent.end)
      position = event.extent.end
      if case .record = event, running.value == digest {
        return Extent(area.file, area.offset..<position)
      }
    }
    return nil
  }
}
