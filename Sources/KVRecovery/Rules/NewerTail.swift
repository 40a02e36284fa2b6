import KVBytes
import KVModel

/// Whole records directly after a sound log, which may be newer than it.
///
/// The log stays what its checksum says it is. The records only make a state of their own.
enum NewerTail: LogRule {
  static let id: RuleID = "log.newer-tail"
  static let premise = """
    whole records follow directly on a sound log, which is not shorter than at its last full \
    rewrite, up to bytes that were never written to, or to a record whose key is the text of a \
    value in the log; of the keys that the rewrite has, or of all keys if no older log can have \
    reached there, more than two thirds disagree with it, and the log was rewritten once at most; \
    or the log has several records and was never rewritten, and whole records that an app could \
    have written lead from its end to where another length of it ends, which the engine stores first
    """
  static let conclusion = """
    they may have been appended after the length was stored: with them, the log is a state of its \
    own, and entries of which it has another value may be stale
    """
  static let ceiling = Evidence.structure
  static let failure = """
    where an older log is in sync with the end of this one, as logs of records of one size are: \
    MMKV begins a log over an older one, which it does not count, when it overwrites a lone entry. \
    Newer records of which the rewrite has no key are not recognized
    """

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    guard let log = investigation.confirmedLog, let tail = tail(after: log, investigation) else {
      return []
    }
    return [
      Conclusion(
        .log(Extent(log.file, log.offset..<tail.end)), by: Self.self, .structure,
        "\(log.count.grouped) bytes, where the checksum matches, and \(tail.count.grouped) after them that "
          + "may be newer")
    ]
  }

  /// Returns what the state `appended` says about `current`, the log without the records after it:
  /// where it has another value of a key, or none, the value may be stale.
  static func conclusions<S: Store>(
    about current: StoreState, given appended: StoreState, _ store: S
  ) -> [Conclusion] {
    let newest = Dictionary(appended.snapshot.live.map { (store.key(of: $0), $0) }) { $1 }
    let stale = current.snapshot.live.filter { record in
      guard let other = newest[store.key(of: record)] else { return true }
      return other != record && !store.hasSameValue(record, as: other, in: store)
    }
    return stale.isEmpty
      ? [] : [Conclusion(.uncovered(.records(Set(stale)), [.mayBeStale]), by: Self.self)]
  }

  /// Returns the number of places at which leftover records may begin, of which the end of `log` is
  /// one: as many as a record has bytes on average; `nil` if all that set a key have the same size, so
  /// that those of an older log begin there in any case.
  static func placeCount<S: Store>(_ log: Extent, _ tail: Extent, of store: S) -> Int? {
    var sizes: Set<Int> = []
    var (recordCount, byteCount) = (0, 0)
    for extent in [log, tail] {
      store.forEachRecord(in: extent, scan: .plain, around: []) { event in
        guard case .record(let record) = event else { return }
        if sizes.count < 2, record.operation == .put { sizes.insert(record.count) }
        recordCount += 1
        byteCount += record.count
      }
    }
    return sizes.count < 2 ? nil : byteCount / recordCount
  }

  private static func tail<S: Store>(
    after log: Extent, _ investigation: Investigation<S>
  ) -> Extent? {
    if let stated = TailSearch.statedTail(after: log, of: investigation.store) { return stated }
    // A lone entry that is overwritten in place begins a shorter log, without a rewrite.
    guard let confirmed = investigation.confirmed,
      confirmed.log.map({ $0.end <= log.end }) == true
    else { return nil }
    return TailSearch(after: log, of: investigation.store, confirmed: confirmed.snapshot)?.extent
  }
}

/// Whole records directly after a sound log that was never rewritten, which may be newer than it.
enum UnrecordedTail: LogRule {
  static let id: RuleID = "log.unrecorded-tail"
  static let premise = """
    a checksum matches over the log, which has several records and was never rewritten, and whole \
    records that an app could have written follow directly on it, up to bytes that were never \
    written to
    """
  static let conclusion =
    "they may have been appended after the length was stored: their keys may have newer values"
  static let ceiling = Evidence.structure
  static let failure = """
    the caution is needless if the log ends where a record of an older one does, over which the \
    engine began anew, or overwrote a lone entry in place: in 10 of 300 healthy stores with few keys \
    that were often removed
    """

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    let store = investigation.store
    guard investigation.isEndShown, let log = investigation.log,
      let records = TailSearch.unrecorded(after: log, of: store)
    else { return [] }
    let newest = Dictionary(records.map { (store.key(of: $0), $0) }) { _, later in later }
    let stale = investigation.snapshot.live.filter { record in
      guard let other = newest[store.key(of: record)] else { return false }
      return other.operation != .put || store.value(of: other) != store.value(of: record)
    }
    return stale.isEmpty
      ? [] : [Conclusion(.uncovered(.records(Set(stale)), [.mayBeStale]), by: Self.self)]
  }
}

/// Records directly after a whole log that were appended after its size was stored.
///
/// The app was killed before it stored the new size, or the two files were copied at different
/// times.
///
/// The remains of an older log can follow too, and can even begin with a whole record;
/// ``RewriteAgreement`` distinguishes the two.
///
/// The distinction is possible only if the log was rewritten at most once. A second older log can
/// leave older values that agree with nothing. If all records have a similar length, its records
/// are in sync after every undamaged log.
struct TailSearch<S: Store> {
  /// The number of bytes at the end of the file that must never have been written to.
  private static var endCount: Int { 16 }

  /// The bytes of the tail.
  let extent: Extent

  /// Finds the tail after `log`; `confirmed` is the content of the log after the last full rewrite.
  init?(after log: Extent, of store: S, confirmed: Snapshot) {
    let area = store.logArea
    guard let olderLogCount = store.traits.olderLogCount, olderLogCount <= 1,
      let extent = Self.wholeRecords(after: log, of: store)
    else { return nil }
    self.extent = extent
    // A first log that reached the second half of the file would have been compacted before the file
    // was doubled.
    let isBeyondFirst = area.end > DiskPage.byteCount && log.end * 2 >= area.end
    guard
      RewriteAgreement(of: extent, in: store, with: confirmed)
        .isNewer(olderLogCount: isBeyondFirst ? 0 : olderLogCount)
    else { return nil }
  }

  /// Returns the records directly after `log` that are newer than all of its records, if the log was
  /// rewritten after its length was stored; `nil` if there are none.
  static func outdatedTail(after log: Extent, of store: S) -> Extent? {
    guard let tail = wholeRecords(after: log, of: store),
      RewriteAgreement(of: tail, in: store, withAllOf: log).isNewer(olderLogCount: 1)
    else { return nil }
    return tail
  }

  /// Returns the whole records directly after `log`, up to bytes that were never written to or are no
  /// record; `nil` if there are none.
  private static func wholeRecords(after log: Extent, of store: S) -> Extent? {
    let area = store.logArea
    guard log.file == area.file, log.end < area.end else { return nil }
    let written = WrittenArea(Extent(area.file, log.end..<area.end), of: store)
    // An older log that filled the file may have continued in a part that was truncated later.
    guard written.extent.end + endCount <= area.end else { return nil }
    // The newer records can be followed by older ones, which they overwrote in part.
    let end = written.gaps.first?.extent.offset ?? written.extent.end
    return wholeEnd(log.end..<end, area, after: log, of: store).map {
      Extent(area.file, log.end..<$0)
    }
  }

  /// Returns the bytes after `log` up to a second length of it that is newer; `nil` if there is
  /// none, or if records do not lead exactly there.
  static func statedTail(after log: Extent, of store: S) -> Extent? {
    guard let end = store.traits.laterEnd, log.file == store.logArea.file, log.end < end,
      firstRecords(2, of: log, in: store).count == 2
    else { return nil }
    guard records(from: log.end, past: end - 1, of: store)?.last?.extent.end == end else {
      return nil
    }
    return Extent(log.file, log.end..<end)
  }

  /// Returns the records after `log`, which was never rewritten, up to bytes that were never written
  /// to; `nil` if something else is there.
  static func unrecorded(after log: Extent, of store: S) -> [Record]? {
    let area = store.logArea
    guard store.traits.olderLogCount == 0, log.file == area.file, log.end < area.end,
      firstRecords(2, of: log, in: store).count == 2,
      let last = store.lastNonzero(in: Extent(area.file, log.end..<area.end)),
      last + endCount < area.end
    else { return nil }
    return records(from: log.end, past: last, of: store)
  }

  /// Returns the records from `offset` up to the one that ends after the byte at `last`, if an app
  /// could have written them all; `nil` if something else is there.
  private static func records(from offset: Int, past last: Int, of store: S) -> [Record]? {
    let rest = Extent(store.logArea.file, offset..<store.logArea.end)
    var records: [Record] = []
    for event in store.records(in: rest, scan: .plain) {
      if event.extent.offset > last { break }
      guard case .record(let record) = event else { return nil }
      records.append(record)
    }
    return store.implausible(records).isEmpty ? records : nil
  }

  /// Returns the first `limit` records of `log`.
  private static func firstRecords(_ limit: Int, of log: Extent, in store: S) -> [Record] {
    var records: [Record] = []
    for case .record(let record) in store.records(in: log, scan: .plain) {
      records.append(record)
      if records.count == limit { break }
    }
    return records
  }

  /// Returns the number of `records` before the first one whose key is the text of a value in `log`.
  ///
  /// That record is the rest of an older one, in which the length of the text is read as that of a key.
  private static func countInSync(_ records: [Record], after log: Extent, of store: S) -> Int {
    let keys = Set(records.map { store.key(of: $0) }.filter { $0.bytes.count >= leastTextCount })
    guard !keys.isEmpty else { return records.count }
    var texts: Set<Key> = []
    for case .record(let record) in store.records(in: log, scan: .plain) {
      let value = store.value(of: record)
      guard let count = value.first.map(Int.init), count < value.count else { continue }
      let text = Key(Array(value[1..<count + 1]))
      if keys.contains(text) { texts.insert(text) }
    }
    return records.firstIndex { texts.contains(store.key(of: $0)) } ?? records.count
  }

  /// The smallest number of bytes of a text that is hardly ever the name of a key too.
  private static var leastTextCount: Int { 8 }

  /// Returns the end of the last record in `range` that is known to be whole; `nil` if there is
  /// none.
  ///
  /// When an app is killed, it has stored the size after every append except the last. So a lone
  /// record may be torn: its lengths are written first, and the rest of its value may be older
  /// bytes. Its last byte was written if it is not zero and only zeros follow. In an encrypted log,
  /// this cannot be determined. If there is more than one record, the meta file is older, and the
  /// last record may lack a page.
  private static func wholeEnd(
    _ range: Range<Int>, _ area: Extent, after log: Extent, of store: S
  ) -> Int? {
    var records: [Record] = []
    for case .record(let record) in store.records(in: Extent(area.file, range), scan: .plain) {
      records.append(record)
    }
    records = Array(records.prefix(countInSync(records, after: log, of: store)))
    guard let last = records.last?.extent, store.implausible(records).isEmpty else { return nil }
    let isStored =
      !store.isEncrypted
      && store.lastNonzero(in: Extent(area.file, last.offset..<area.end)) == last.end - 1
    let isWhole = isStored || records.count > 1 && !DiskPage.divides(last)
    let end = isWhole ? last.end : last.offset
    return end > range.lowerBound ? end : nil
  }
}
