import KVBytes
import KVModel

/// What the rules about the end of the log need to know of the records in the written area, from one
/// reading around its gaps.
struct WrittenRecords {
  let ends: RecordEnds
  let chain: RecordChain

  /// Reads the records of `written`, which the store's claim about the log's length is compared with.
  ///
  /// - Complexity: O(*n*) for an area of *n* bytes; memory grows with the number of records.
  init<S: Store>(of store: S, in written: WrittenArea, _ lengthClaim: LengthClaim?) {
    var ends = RecordEnds()
    var chain = RecordChain(
      from: written.extent.offset, stated: lengthClaim?.log?.end,
      isRewrittenInPlace: store.traits.isRewrittenInPlace)
    store.forEachRecord(in: written.extent, scan: .plain, around: written.gaps) { event in
      ends.add(event)
      chain.add(event)
    }
    ends.finish()
    (self.ends, self.chain) = (ends, chain)
  }
}

/// The records from the log's start, or from shortly after it, to the first damage or the first
/// hole.
struct RecordChain {
  /// The number of bytes at the log's start that can be unreadable although everything after them
  /// is intact: a prefix, or the block of a cipher whose vector is lost.
  private static let headCount = 32

  private let start: Int
  /// The end of the log that the size field states; `nil` if the file is shorter than that.
  private let statedEnd: Int?
  private let isRewrittenInPlace: Bool
  private(set) var end: Int
  /// Whether damage ends the chain.
  private(set) var isBroken = false
  /// Whether a record ends at the end of the log that the size field states.
  private(set) var meetsSize = false
  private var recordCount = 0
  private var isOver = false

  /// Creates the chain of no records, which begins at `start`.
  init(from start: Int, stated statedEnd: Int?, isRewrittenInPlace: Bool) {
    self.start = start
    self.statedEnd = statedEnd
    self.isRewrittenInPlace = isRewrittenInPlace
    end = start
  }

  /// Adds the next event of the log.
  @inline(__always)
  mutating func add(_ event: RecordEvent) {
    if isOver { return }
    switch event {
    case .record: recordCount += 1
    case .gap(let gap): add(gap)
    case .filler: break
    }
    if isOver { return }
    end = event.extent.end
    if end == statedEnd { meetsSize = true }
  }

  private mutating func add(_ gap: Gap) {
    // A lone entry was overwritten in place by a shorter value.
    if recordCount == 1, isRewrittenInPlace, let statedEnd, gap.extent.offset < statedEnd,
      statedEnd <= gap.extent.end
    {
      meetsSize = true
    }
    guard gap.extent.offset > start + Self.headCount else { return }
    // A hole may be a part that was never written; any other gap is damage.
    isBroken = gap.cause != .zeros
    isOver = true
  }
}
