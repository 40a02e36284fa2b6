import KVBytes
import KVModel

/// Successive events of a log, prepared for its replay.
struct RecordBatch: Sendable {
  /// The number of records in a full batch, which fits into a processor's own cache.
  private static let limit = 2048

  /// Whether the part of the log that has a snapshot of its own ends where the batch begins.
  private(set) var followsPart = false
  /// The records, except those marked as deleted.
  private(set) var records: [Record] = []
  /// Half of the hash of each record's key.
  private(set) var tags: [UInt32] = []
  /// The records whose own checksums do not match.
  private(set) var contradicted: [Record] = []
  /// The number of records that are marked as deleted.
  private(set) var struckCount = 0
  /// The number of bytes of the records that are marked as deleted.
  private(set) var struckByteCount = 0
  /// The number of bytes that belong to the format but contain no record.
  private(set) var structure = 0
  /// The gaps.
  private(set) var gaps: [Gap] = []

  /// Creates an empty batch.
  init() {}

  /// The number of records, including those marked as deleted.
  var recordCount: Int { records.count + struckCount }

  private var isFull: Bool { records.count >= Self.limit }

  /// The batch after this one, with room for as many records.
  private func next(followsPart: Bool) -> RecordBatch {
    var next = RecordBatch()
    next.followsPart = followsPart
    next.records.reserveCapacity(records.count)
    next.tags.reserveCapacity(records.count)
    return next
  }

  /// Adds `event`; the keys are in `image`.
  @inline(__always)
  private mutating func add(_ event: RecordEvent, in image: borrowing FileImage) {
    switch event {
    case .record(let record):
      if record.integrity == .contradicted { contradicted.append(record) }
      if record.operation == .struckPut {
        struckCount += 1
        struckByteCount += record.count
        return
      }
      records.append(record)
      tags.append(LiveTable.tag(of: record, in: image))
    case .filler(let extent): structure += extent.count
    case .gap(let gap): gaps.append(gap)
    }
  }

  /// Reads the log of `store` at `extent` around `gaps` and passes it to `body` in batches.
  ///
  /// A batch begins where the part up to `end` ends, if a record begins there and no gap precedes it.
  static func read<S: Store>(
    _ store: S, log extent: Extent, scan: ScanMode, around gaps: [Gap], part end: Int? = nil,
    _ body: (RecordBatch) -> Void
  ) {
    let image = store.decoded(extent.file)
    let end = end ?? extent.end
    var hasGap = false
    var batch = RecordBatch()
    store.forEachRecord(in: extent, scan: scan, around: gaps) { event in
      let start = event.extent.offset
      if start == end, case .record = event, !hasGap {
        body(batch)
        batch = batch.next(followsPart: true)
      } else if batch.isFull {
        body(batch)
        batch = batch.next(followsPart: false)
      }
      if case .gap = event { hasGap = true }
      batch.add(event, in: image)
    }
    body(batch)
  }
}
