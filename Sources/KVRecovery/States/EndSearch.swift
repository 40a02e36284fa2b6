import KVBytes
import KVModel

/// Finds the end of a log whose size field is wrong, by its checksum.
///
/// The digest of the log's first bytes is carried along from record to record; where it equals the
/// stored digest, the log ends. That two ends fit, or that a wrong one does, has a chance of
/// one in 2³² for each record, or less.
///
/// With lanes of exclusive or it is not chance alone: records that are much alike cancel out. There an
/// end counts only if it is the only one, and if no record stands behind it where the size says that
/// the log goes on.
///
/// What it assumes: that the log's bytes are whole up to its end. They need not all decode: under a
/// cipher whose vector is lost, the first do not. Time is linear.
struct EndSearch {
  let digest: UInt64
  let algorithm: ChecksumClaim.Algorithm
  /// The log by its size field; nothing where so many bytes are not there.
  let stated: Extent?

  /// The log that begins where `area` does, ends within it and has this digest, read around `gaps`;
  /// nothing if there is none.
  ///
  /// A log without records is no answer: the digest of nothing proves nothing.
  func log<S: Store>(in store: S, within area: Extent, around gaps: [Gap]) -> Extent? {
    let image = store.stored(area.file)
    var running = RunningDigest(algorithm)
    var position = area.offset
    var found: Extent?
    for event in store.records(in: area, scan: .plain, around: gaps) {
      if let found, found.end == position, case .record(let record) = event,
        let stated, record.extent.end <= stated.end
      {
        return nil
      }
      running.update(image.span, in: position..<event.extent.end)
      position = event.extent.end
      if case .record = event, running.value == digest {
        if found != nil { return nil }
        found = Extent(area.file, area.offset..<position)
        if algorithm != .xorLanes { return found }
      }
    }
    return found
  }
}

/// The digest of the bytes that were passed so far.
private enum RunningDigest {
  case crc32(CRC32)
  case xorLanes(XORLanes)
  /// A checksum of single records, which is carried along nowhere and never equals a log's.
  case none

  init(_ algorithm: ChecksumClaim.Algorithm) {
    switch algorithm {
    case .crc32: self = .crc32(CRC32())
    case .xorLanes: self = .xorLanes(XORLanes())
    case .crc16: self = .none
    }
  }

  mutating func update(_ bytes: Span<UInt8>, in range: Range<Int>) {
    switch self {
    case .crc32(var digest):
      digest.update(bytes, in: range)
      self = .crc32(digest)
    case .xorLanes(var digest):
      digest.update(bytes, in: range)
      self = .xorLanes(digest)
    case .none: break
    }
  }

  /// The digest; nothing where none is carried along.
  var value: UInt64? {
    switch self {
    case .crc32(let digest): UInt64(digest.value)
    case .xorLanes(let digest): digest.value
    case .none: nil
    }
  }
}
