import KVBytes
import KVModel

/// The end of the log where the stored checksum matches, if the length is wrong.
enum ChecksumEnd: LogRule {
  static let id: RuleID = "log.checksum-end"
  static let premise = """
    the stored checksum matches over the records up to a certain one; with the lanes of FastKV for \
    Android, it matches at no other record, and no record follows where the length says that the \
    log continues
    """
  static let conclusion = "the log ends after that record"
  static let ceiling = Evidence.checksum
  static let failure = """
    1 in 2^32 for each record, or less; more often with lanes, in which very similar records \
    cancel out
    """

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    guard let lengthClaim = investigation.lengthClaim, let digest = lengthClaim.digest else {
      return []
    }
    let (store, written) = (investigation.store, investigation.written)
    let search = EndSearch(
      digest: digest, algorithm: lengthClaim.algorithm, stated: lengthClaim.log)
    guard let log = search.log(in: store, within: written) else { return [] }
    let reason =
      log == lengthClaim.log
      ? "\(log.count.grouped) bytes (\(lengthClaim.origin)); the checksum matches, but not every record decodes"
      : "\(log.count.grouped) bytes, where the stored checksum matches; the \(lengthClaim.origin) "
        + "(\(lengthClaim.count.grouped)) is wrong"
    return [Conclusion(.log(log), by: Self.self, .checksum, reason)]
  }
}

/// Finds the end of a log by its checksum.
///
/// The digest of the log's first bytes is updated record by record, and the log ends where the
/// digest equals the stored one. The probability that a wrong end matches is 1 in 2³² for each
/// record, or less.
///
/// With XOR lanes, more than chance is involved, because very similar records cancel out. So an end
/// counts only if no other end matches, and if no record follows it where the log continues
/// according to the stated length.
///
/// The search assumes that the log's bytes are intact up to its end. They need not all decode: if a
/// cipher's initialization vector is lost, the first bytes do not. Time is linear.
struct EndSearch {
  let digest: UInt64
  let algorithm: ChecksumClaim.Algorithm
  /// The log according to the length claim; `nil` if the file is shorter than that.
  let stated: Extent?

  /// Returns the log that begins at the start of `area`, ends within `area`, and has the stored
  /// digest; `nil` if there is none.
  ///
  /// The gaps of `area` are skipped at first. A log without records is never returned, because the
  /// digest of no bytes proves nothing.
  func log<S: Store>(in store: S, within area: WrittenArea) -> Extent? {
    let algorithm = RunningDigest(algorithm)
    if case .none = algorithm { return nil }
    var search = Pass(self, algorithm, from: area.extent.offset)
    /// The search as it was at the first gap.
    var atGap: Pass?
    let image = store.stored(area.extent.file)
    store.forEachRecord(in: area.extent, scan: .plain, around: area.gaps) { event in
      if atGap == nil, case .gap = event { atGap = search }
      search.take(event, image)
    }
    if search.found == nil, var again = atGap {
      // A record can seem to reach across the end of the log into leftover records of an older log.
      // The gap for it may then include the last records of the log, so the bytes are also read
      // without gaps.
      let rest = Extent(area.extent.file, again.position..<area.extent.end)
      store.forEachRecord(in: rest, scan: .plain, around: []) { again.take($0, image) }
      search = again
    }
    return search.found.map { Extent(area.extent.file, area.extent.offset..<$0) }
  }

  /// One reading of the records of a log.
  private struct Pass {
    private let search: EndSearch
    private var running: RunningDigest
    /// The end of the bytes that were digested.
    private(set) var position: Int
    /// The end at which the digest matches.
    private(set) var found: Int?
    private var isSettled = false

    init(_ search: EndSearch, _ digest: RunningDigest, from start: Int) {
      self.search = search
      running = digest
      position = start
    }

    mutating func take(_ event: RecordEvent, _ image: FileImage) {
      if isSettled { return }
      if found == position, case .record(let record) = event,
        let stated = search.stated, record.extent.end <= stated.end
      {
        (found, isSettled) = (nil, true)
        return
      }
      running.update(image.storageSpan, in: position..<event.extent.end)
      position = event.extent.end
      if case .record = event, running.value == search.digest {
        isSettled = found != nil || search.algorithm != .xorLanes
        found = found == nil ? position : nil
      }
    }
  }
}

/// The running digest of the bytes that have been read.
private enum RunningDigest {
  case crc32(CRC32)
  case xorLanes(XORLanes)
  /// A checksum over single records, which has no running digest and never equals that of a log.
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

  /// The digest; `nil` if there is no running digest.
  var value: UInt64? {
    switch self {
    case .crc32(let digest): UInt64(digest.value)
    case .xorLanes(let digest): digest.value
    case .none: nil
    }
  }
}
