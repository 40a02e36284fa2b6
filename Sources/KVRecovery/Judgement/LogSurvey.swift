import KVBytes
import KVModel

/// What the records and gaps of an unsound log say about each of its live records.
///
/// One pass over the log, and a few bytes for each key.
struct LogSurvey: Sendable {
  /// What is known about one live record.
  struct Place: Sendable {
    /// The number of records between the last gap before the record and the record; `nil` without
    /// such a gap.
    var sinceGap: Int?
    /// The number of records between the record and the next gap; `nil` without such a gap.
    var toGap: Int?
    /// The reach of the last gap before the record, if the cipher chains its blocks.
    var chain = ChainReach.noChain
    /// The number of bytes in the gaps after the record.
    var lostBytes = 0
    /// The number of records of its key since the last full rewrite.
    var recordsOfKey = 0
    /// How its value compares with the older one of its key; `nil` without an older one.
    var isLikeOlder: Bool?
  }

  /// The number of gaps in the log.
  private(set) var gapCount = 0
  /// The number of gaps of less than a sector that an edge between two sectors is in.
  private(set) var sectorEdgeCount = 0
  /// The number of records in the log.
  private(set) var recordCount = 0
  /// The number of records since the last full rewrite.
  private(set) var newRecordCount = 0
  /// The number of bytes of those records.
  private(set) var newByteCount = 0
  /// The number of bytes of all records.
  private(set) var byteCount = 0
  /// The number of keys.
  private(set) var keyCount = 0

  private let live: [Record]
  private var places: [Place]

  /// Surveys the log of `state`, in which the last full rewrite ends at `rewriteEnd`.
  ///
  /// - Complexity: O(*n*) for a log of *n* bytes.
  init<S: Store>(of state: StoreState, in store: S, log: Extent, rewriteEnd: Int) {
    live = state.snapshot.live.filter { $0.file == log.file }.sorted { $0.offset < $1.offset }
    places = [Place](repeating: Place(), count: live.count)
    var keys: [UInt64: KeyTally] = [:]
    var hashes = [UInt64](repeating: 0, count: live.count)
    var next = 0
    var gaps: [(ordinal: Int, offset: Int, count: Int)] = []
    var ordinals = [Int](repeating: 0, count: live.count)
    let image = store.decoded(log.file)
    store.forEachRecord(in: log, scan: state.scan, around: state.gaps) { event in
      switch event {
      case .filler: break
      case .gap(let gap): gaps.append((recordCount, gap.extent.offset, gap.extent.count))
      case .record(let record):
        let hash = image.storageSpan.hash(in: record.key, seed: 0)
        let isNew = record.offset >= rewriteEnd
        recordCount += 1
        byteCount += record.count
        if isNew {
          newRecordCount += 1
          newByteCount += record.count
        }
        let older = keys[hash, default: KeyTally()].add(
          ValueShape(of: record, in: image), isNew: isNew)
        while next < live.count, live[next].offset < record.offset { next += 1 }
        guard next < live.count, live[next].offset == record.offset else { return }
        hashes[next] = hash
        ordinals[next] = recordCount - 1
        places[next].isLikeOlder = older.map { $0 == ValueShape(of: record, in: image) }
      }
    }
    gapCount = gaps.count
    sectorEdgeCount = gaps.count { _, offset, count in
      count < Self.sector && offset / Self.sector < (offset + count) / Self.sector
    }
    keyCount = keys.count
    for index in live.indices { places[index].recordsOfKey = Int(keys[hashes[index]]?.new ?? 0) }
    locate(among: gaps, ordinals)
    measureReach(of: gaps.map { $0.offset..<$0.offset + $0.count }, in: store)
  }

  /// Sets how far the gaps reach by the chain of the store's cipher, if there is one.
  private mutating func measureReach<S: Store>(of gaps: [Range<Int>], in store: S) {
    guard let count = store.chainedBlockCount else { return }
    let start = store.logArea.offset
    var passed = 0
    for index in live.indices {
      while passed < gaps.count, gaps[passed].lowerBound < live[index].offset { passed += 1 }
      guard passed > 0 else {
        places[index].chain = .noGap
        continue
      }
      let first = (gaps[passed - 1].lowerBound - start) / count
      let last = (gaps[passed - 1].upperBound - 1 - start) / count
      let garbled = start + (last + 1) * count..<start + (last + 2) * count
      let record = live[index]
      let isReached = garbled.overlaps(record.offset..<record.offset + record.count)
      places[index].chain = !isReached ? .outOfReach : first == last ? .certain : .possible
    }
  }

  /// Sets where each live record lies among the gaps.
  private mutating func locate(
    among gaps: [(ordinal: Int, offset: Int, count: Int)], _ ordinals: [Int]
  ) {
    var lost = gaps.reduce(0) { $0 + $1.count }
    var passed = 0
    for index in live.indices {
      while passed < gaps.count, gaps[passed].offset < live[index].offset {
        lost -= gaps[passed].count
        passed += 1
      }
      places[index].lostBytes = lost
      if passed > 0 { places[index].sinceGap = ordinals[index] - gaps[passed - 1].ordinal }
      if passed < gaps.count { places[index].toGap = gaps[passed].ordinal - ordinals[index] - 1 }
    }
  }

  /// Returns what is known about `record`; `nil` if it is not a live record of the log.
  func place(of record: Record) -> Place? {
    let index = live.partitioningIndex { $0.offset >= record.offset }
    return index < live.count && live[index] == record ? places[index] : nil
  }

  /// Returns the number of records with this number of bytes that the log would have.
  func records(in bytes: Int) -> Double {
    let mean =
      newRecordCount > 0
      ? Double(newByteCount) / Double(newRecordCount)
      : recordCount > 0 ? Double(byteCount) / Double(recordCount) : Self.usualRecord
    return Double(bytes) / max(1, mean)
  }

  /// Returns the probability that a further record is about the key of `place`: keys that were
  /// written more often are written again.
  func rate(of place: Place) -> Double {
    (Double(place.recordsOfKey) + Self.unseen)
      / (Double(newRecordCount) + Self.unseen * Double(max(1, keyCount)))
  }

  /// The number of bytes of a sector.
  private static let sector = 512
  /// The number of records that each key counts for before any is seen.
  private static let unseen = 0.7
  /// The number of bytes of a record in a log without any.
  private static let usualRecord = 40.0
}

/// How far damage before a record reaches into it, by the chain of a cipher.
enum ChainReach: Int {
  case noChain, noGap, outOfReach, possible, certain
}

/// The records of one key so far.
private struct KeyTally {
  /// The number of records since the last full rewrite.
  var new: UInt32 = 0
  private var last: ValueShape?

  /// Counts a record with a value of `shape`, and returns the shape of the value before it.
  mutating func add(_ shape: ValueShape?, isNew: Bool) -> ValueShape? {
    if isNew { new &+= 1 }
    let older = last
    if let shape { last = shape }
    return older
  }
}

/// The outline of a value: its length, or that it states its length.
private enum ValueShape: UInt8 {
  case one, four, eight, statesLength, short, long

  /// Returns the shape of the value of `record`; `nil` for a removal.
  init?(of record: Record, in image: borrowing FileImage) {
    guard record.operation != .remove else { return nil }
    let value = record.value
    switch value.count {
    case 1: self = .one
    case 4: self = .four
    case 8: self = .eight
    case let count where count > 0 && Int(image[value.lowerBound]) == count - 1:
      self = .statesLength
    case let count: self = count > 16 ? .long : .short
    }
  }
}
