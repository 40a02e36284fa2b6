import KVBytes
import KVModel

/// The end of the log where the stored checksum matches, if the length is wrong.
enum ChecksumEnd: LogRule {
  static let id: RuleID = "log.checksum-end"
  static let premise = """
    the stored checksum matches over the records up to a certain one. With the lanes of FastKV \
    for Android, it must match nowhere else, and no record may follow
    """
  static let conclusion = "the log ends after that record"
  static let ceiling = Evidence.checksum
  static let failure =
    "1 in 2^32 for each record, or less; with lanes, very similar records can cancel out"

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    guard let lengthClaim = investigation.lengthClaim, let digest = lengthClaim.digest else {
      return []
    }
    let search = EndSearch(digest: digest, stated: lengthClaim.log, investigation)
    guard let end = search.end(lengthClaim.algorithm) else { return [] }
    let log = Extent(investigation.area.file, investigation.area.offset..<end)
    let reason =
      log == lengthClaim.log
      ? "\(log.count.inBytes) (\(lengthClaim.origin)); the checksum matches, but not every record decodes"
      : "\(log.count.inBytes), where the stored checksum matches; the \(lengthClaim.origin) "
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
/// With XOR lanes, more than chance is involved, because very similar records cancel out, and zeros
/// change nothing. So an end counts only if no other end matches, if its record ends in bytes that
/// change the lanes, and if no record follows it where the log continues according to the stated
/// length.
///
/// The search assumes that the log's bytes are intact up to its end. They need not all decode: if a
/// cipher's initialization vector is lost, the first bytes do not. Time is linear.
private struct EndSearch<S: Store> {
  private let digest: UInt64
  /// The log according to the length claim; `nil` if the file is shorter than that.
  private let stated: Extent?
  private let investigation: Investigation<S>
  /// The log's file, as stored.
  private let image: FileImage

  /// Creates a search for the log with this digest in the written area of `investigation`.
  init(digest: UInt64, stated: Extent?, _ investigation: Investigation<S>) {
    self.digest = digest
    self.stated = stated
    self.investigation = investigation
    image = investigation.store.stored(investigation.written.extent.file)
  }

  private var area: Extent { investigation.written.extent }

  /// Returns the end of the log that begins at the start of the area, ends within it, and has the
  /// stored digest; `nil` if there is none.
  ///
  /// The gaps of the area are skipped at first. A log without records is never returned, because the
  /// digest of no bytes proves nothing.
  func end(_ algorithm: ChecksumClaim.Algorithm) -> Int? {
    switch algorithm {
    case .crc32:
      UInt32(exactly: digest).flatMap { digest in
        investigation.records.flatMap { end(with: digest, among: $0.ends) }
      }
    case .xorLanes: endOfLanes()
    // A checksum over single records never equals that of a log.
    case .crc16: nil
    }
  }

  /// Returns the first end up to which the bytes have the CRC-32 `digest`.
  private func end(with digest: UInt32, among ends: RecordEnds) -> Int? {
    let bytes = image.storageSpan
    var search = CRC32EndSearch(for: digest, from: area.offset)
    let gap = ends.firstGap ?? area.end
    let (before, after) = ends.divided(at: gap)
    for end in before { search.add(end, in: bytes) }
    var again = search
    for end in after { search.add(end, in: bytes) }
    if let end = search.end(in: bytes) { return end }
    // A record can seem to reach across the end of the log into leftover records of an older log.
    // The gap for it may then include the last records of the log, so the bytes are also read
    // without gaps.
    forEachRecord(from: gap) { event in
      if case .record(let record) = event { again.add(record.extent.end, in: bytes) }
    }
    return again.end(in: bytes)
  }

  /// Returns the only end up to which the bytes have these XOR lanes.
  private func endOfLanes() -> Int? {
    var search = LaneSearch(for: digest, from: area.offset, stated: stated)
    /// The search as it was at the first gap.
    var atGap: LaneSearch?
    investigation.store.forEachRecord(
      in: area, scan: .plain, around: investigation.written.gaps
    ) { event in
      if atGap == nil, case .gap = event { atGap = search }
      search.take(event, image)
    }
    guard search.found == nil, var again = atGap else { return search.found }
    forEachRecord(from: again.position) { again.take($0, image) }
    return again.found
  }

  /// Reads the rest of the area from `start` as if it had no gaps.
  ///
  /// The last record may end with zeros, of which the written area has only some.
  private func forEachRecord(from start: Int, _ body: (RecordEvent) -> Void) {
    let rest = Extent(area.file, start..<max(area.end, investigation.area.end))
    for event in investigation.store.records(in: rest, scan: .plain) {
      if event.extent.offset >= area.end { break }
      body(event)
    }
  }
}

/// A search for the only end up to which bytes have certain XOR lanes, during one reading of a log.
private struct LaneSearch {
  private let digest: UInt64
  private let stated: Extent?
  private var running = XORLanes()
  /// The end of the bytes that were digested.
  private(set) var position: Int
  /// The end at which the digest matches.
  private(set) var found: Int?
  private var isSettled = false

  init(for digest: UInt64, from start: Int, stated: Extent?) {
    self.digest = digest
    self.stated = stated
    position = start
  }

  mutating func take(_ event: RecordEvent, _ image: FileImage) {
    if isSettled { return }
    if found == position, case .record(let record) = event,
      let stated, record.extent.end <= stated.end
    {
      (found, isSettled) = (nil, true)
      return
    }
    let read = position..<event.extent.end
    var isEnd = false
    if case .record(let record) = event {
      var before = running
      before.update(image.storageSpan, in: position..<record.offset)
      isEnd = before.reaches(digest, by: record.extent.range, of: image.storageSpan)
    }
    running.update(image.storageSpan, in: read)
    position = read.upperBound
    if isEnd {
      isSettled = found != nil
      found = found == nil ? position : nil
    }
  }
}
