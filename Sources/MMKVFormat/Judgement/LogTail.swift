import KVBytes
import KVModel

/// The records directly after a log over which a checksum matches.
///
/// Either the data file is newer than the meta file, and the app appended them; or both files are of
/// one time, and the records are left from older, longer logs. The bytes can be the same, so ``bits``
/// weighs the two by what else holds of them.
struct LogTail {
  /// A length that keys of any app may have, in bytes.
  private static let usualKeyCount = 48
  /// The size of a page, in bytes, that reaches the disk as a whole.
  private static let pageCount = 4096

  private let store: MMKVStore
  private let log: Extent
  private let facts: LogFacts
  /// The records that an app could have written, up to the first byte that begins none.
  private let records: [Record]
  /// The last of them of each key.
  private let newest: [Key: Record]
  /// Those of them, from the first on, that end where the header states, or else that the engine could
  /// have appended.
  let appendable: [Record]
  /// The end that the header states, if it is that of ``appendable``; otherwise `nil`.
  private let headerEnd: Int?
  private let live: Set<Key>

  /// Reads what follows `log`, which has the entries `live`; `nil` if no record does that the engine
  /// could have appended.
  ///
  /// - Complexity: O(*n*) for a file of *n* bytes, if a record does.
  init?(after log: Extent, holding live: [Record], of store: MMKVStore) {
    let rest = Extent(log.file, log.end..<max(log.end, store.logArea.end))
    guard log.file == .data, store.lastNonzero(in: rest) != nil else { return nil }
    let plausible = Self.plausibleRecords(in: rest, of: store)
    guard !plausible.isEmpty else { return nil }
    let facts = LogFacts(of: log, before: plausible, in: store)
    let limit = max(Self.usualKeyCount, 2 * facts.longestKeyCount)
    let records = Array(plausible.prefix { $0.key.count <= limit })
    let stated = DataHeader.byteCount + Int(store.header.payloadCount)
    let keys = Set(live.map { store.key(of: $0) })
    if let last = records.firstIndex(where: { $0.extent.end == stated }) {
      appendable = Array(records[...last])
      headerEnd = stated
    } else {
      appendable = Self.appendable(records, to: keys, of: store)
      headerEnd = nil
    }
    guard !appendable.isEmpty else { return nil }
    (self.facts, self.records, self.live) = (facts, records, keys)
    newest = Dictionary(records.map { (store.key(of: $0), $0) }) { _, later in later }
    self.store = store
    self.log = log
  }

  /// Returns the records at the start of `rest` that an app could have written.
  private static func plausibleRecords(in rest: Extent, of store: MMKVStore) -> [Record] {
    var records: [Record] = []
    for event in store.records(in: rest, scan: .plain, around: []) {
      guard case .record(let record) = event else { break }
      // In most stores with slack, the log does not end where an older record begins.
      if records.isEmpty, !store.implausible([record]).isEmpty { return [] }
      records.append(record)
    }
    let first = store.implausible(records).first
    return Array(records.prefix { $0 != first })
  }

  /// Returns the records, up to the first that the engine could not have appended to a log with the
  /// entries `live`.
  ///
  /// It writes no removal of a key that is absent. The value of the only key, or the first value
  /// after all keys were removed, begins a log.
  private static func appendable(
    _ records: [Record], to live: Set<Key>, of store: MMKVStore
  ) -> [Record] {
    var live = live
    let overwrites = store.meta.effectiveVersion >= MetaInfo.Version.flags
    return Array(
      records.prefix { record in
        let key = store.key(of: record)
        if record.operation == .remove { return live.remove(key) != nil }
        let beginsLog = live.isEmpty || live.count == 1 && live.contains(key)
        live.insert(key)
        return !beginsLog || !overwrites
      })
  }

  /// The end of the newest of these records that is known to be whole; `nil` if none is.
  ///
  /// When an app is killed, it has stored the size after every append except the last. So a lone
  /// record may be torn: its lengths are written first, and the rest of its value may be older
  /// bytes. Its last byte was written if it is not zero and only zeros follow. In an encrypted log,
  /// this cannot be determined. If there is more than one record, the meta file is older, and the
  /// last record may lack a page.
  var end: Int? {
    if let headerEnd { return headerEnd }
    guard let last = appendable.last?.extent else { return nil }
    let isStored =
      !store.isEncrypted
      && store.lastNonzero(in: Extent(log.file, last.offset..<store.logArea.end)) == last.end - 1
    let isInPage = last.offset / Self.pageCount == (last.end - 1) / Self.pageCount
    if isStored || appendable.count > 1 && isInPage { return last.end }
    return appendable.dropLast().last?.extent.end
  }

  // MARK: Weighing

  /// How much likelier it is that the records are newer than the log than that they are older, in
  /// bits.
  var bits: Double {
    let origin = facts.origin
    let removes = records.contains { $0.operation == .remove }
    let bits =
      TailPriors.began(origin) + TailPriors.placeCount(facts.placeCount)
      + TailPriors.liveCount(live.count) + TailPriors.recordCount(facts.newCount)
      + TailPriors.removes(removes, origin) + headerBits
    guard origin != .firstLog else { return bits + TailPriors.isOneLog(isOneLog) }
    let isBeyond =
      origin == .rewrittenOnce && store.logArea.end > Self.pageCount
      && log.end * 2 >= store.logArea.end
    return bits + copyBits + (isBeyond ? TailPriors.beyondOlderLogs : 0)
  }

  private var headerBits: Double {
    if log.end == DataHeader.byteCount + Int(store.header.payloadCount) {
      return TailPriors.sameHeader
    }
    let isFirst = facts.origin == .firstLog && facts.recordCount > 1
    return isFirst && headerEnd != nil ? TailPriors.laterHeader : 0
  }

  /// Whether the records can be the end of a single log that the engine began anew without counting
  /// it, because it had one entry or none.
  private var isOneLog: Bool {
    newest.values.count { $0.operation == .put } <= 1
  }

  /// The bits for what the records have in common with the last full rewrite.
  var copyBits: Double {
    var (agreeing, differing) = (0, 0)
    for (key, record) in newest {
      let copies = (facts.copies[key] ?? []).filter { $0.operation == .put }
      if copies.isEmpty {
        if record.operation == .remove { agreeing += 1 }
      } else if copies.contains(where: { store.hasSameValue(record, as: $0, in: store) }) {
        agreeing += 1
      } else {
        differing += 1
      }
    }
    return TailPriors.copies(agreeing: agreeing, differing: differing, facts.origin)
  }
}

/// What the records of a log show about how it began.
struct LogFacts {
  /// How a log began, by the fields of the meta file.
  enum Origin {
    /// It is the first one, or the engine began it over the first one without counting it.
    case firstLog
    /// The app had removed all entries together.
    case cleared
    case rewrittenOnce, rewrittenOften
    /// The engine has begun a log over it since the last full rewrite, because there was one entry
    /// or none.
    case overridden
  }

  let origin: Origin
  /// The number of records, and of those since the last full rewrite.
  let recordCount: Int
  let newCount: Int
  let longestKeyCount: Int
  /// The number of places at which older records can begin: the mean size of a record, divided by
  /// what all sizes are multiples of.
  let placeCount: Int
  /// The records that the last full rewrite copied, of the keys that were asked for; all records of
  /// the log if no checksum matches, because it may then have been rewritten since.
  let copies: [Key: [Record]]

  /// Reads `log`, which `tail` follows.
  init(of log: Extent, before tail: [Record], in store: MMKVStore) {
    let confirmed = store.lengthClaims.first { $0.role == .confirmed }
    let isVerified = store.lengthClaims.first?.isVerified == true
    let rewritten = isVerified ? confirmed.flatMap { $0.isVerified ? $0.log : nil } : log
    let asked = Set(tail.map { store.key(of: $0) })
    var copies: [Key: [Record]] = [:]
    var (recordCount, copyCount, longest, byteCount, divisor) = (0, 0, 0, 0, 0)
    func measure(_ record: Record) {
      byteCount += record.count
      var rest = record.count
      while rest > 0 { (divisor, rest) = (rest, divisor % rest) }
    }
    store.forEachRecord(in: log, scan: .plain, around: []) { event in
      guard case .record(let record) = event else { return }
      measure(record)
      recordCount += 1
      longest = max(longest, record.key.count)
      guard rewritten?.contains(record.extent) == true else { return }
      copyCount += 1
      let key = store.key(of: record)
      if asked.contains(key) { copies[key, default: []].append(record) }
    }
    tail.forEach(measure)
    self.recordCount = recordCount
    self.copies = copies
    newCount = recordCount - copyCount
    longestKeyCount = longest
    placeCount = byteCount / max(1, recordCount + tail.count) / max(1, divisor)
    origin = Self.origin(store.meta, isRewritten: rewritten != nil, copyCount)
  }

  /// Returns how the log began, of which the first `copyCount` records were copied by the last full
  /// rewrite, if `isRewritten`.
  private static func origin(
    _ meta: MetaInfo, isRewritten: Bool, _ copyCount: Int
  ) -> Origin {
    // Turning expiry on in a new store counts as a full rewrite, and so does the first write.
    let firstSequence = meta.hasExpiry ? 2 : 1
    let hasNoCopies = meta.confirmedCount <= DataHeader.prefixCount
    if meta.sequence <= 1 || hasNoCopies && isRewritten && meta.sequence <= firstSequence {
      return .firstLog
    }
    if hasNoCopies { return .cleared }
    // The only record that a rewrite copied can also be one that was set to the same value since.
    guard isRewritten, copyCount > 1 else { return .overridden }
    return meta.sequence == 2 ? .rewrittenOnce : .rewrittenOften
  }
}
