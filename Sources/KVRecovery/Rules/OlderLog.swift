import KVBytes
import KVModel

/// The end of a log that is followed by leftover records of the log before it.
enum OlderLog: LogRule {
  static let id: RuleID = "log.older-log"
  static let premise = """
    after damage that follows the last full rewrite, all records agree with the rewrite, in two \
    keys or more. Or the damage follows the rewrite directly, and then come the records that its \
    last ones were copied from
    """
  static let conclusion =
    "the log ended at the damage, and what was appended since the rewrite is missing"
  static let ceiling = Evidence.structure
  static let failure = "if every appended value was equal to the value it replaced"

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    guard !investigation.isEndShown, let log = investigation.log,
      let confirmed = investigation.confirmed,
      let damage = investigation.gaps.first(where: {
        $0.extent.offset >= investigation.confirmedEnd
      })
    else { return [] }
    let store = investigation.store
    let (rest, later) = remainder(of: log, from: damage.extent.offset, investigation)
    guard
      RewriteAgreement(of: rest, around: later, in: store, with: confirmed.snapshot).isOlder
        || rest.offset == investigation.confirmedEnd
          && RewriteOriginals.begin(rest, around: later, in: store, of: confirmed.snapshot)
    else { return [] }
    let end = Extent(log.file, log.offset..<rest.offset)
    return [
      Conclusion(
        .log(end), by: Self.self, .structure,
        "\(end.count.inBytes), up to the remains of an older log"),
      Conclusion(.incomplete(end), by: Self.self),
    ]
  }

  /// Returns the bytes from `damage` to the end of `log`, or of everything written if a record lies
  /// across that end: then the bytes are not of the log that the length was stored with.
  private static func remainder<S: Store>(
    of log: Extent, from damage: Int, _ investigation: Investigation<S>
  ) -> (Extent, [Gap]) {
    let written = Extent(log.file, damage..<max(log.end, investigation.written.extent.end))
    let gaps = investigation.written.gaps.filter { $0.extent.offset >= damage }
    for case .record(let record) in investigation.store.records(
      in: written, scan: .plain, around: gaps)
    where record.offset < log.end && record.extent.end > log.end {
      return (written, gaps)
    }
    return (
      Extent(log.file, damage..<log.end), investigation.gaps.filter { $0.extent.offset >= damage }
    )
  }
}

/// How many keys have the same values in some records as in the last full rewrite.
///
/// A full rewrite copies the newest records of the previous log. The remains of that log after the
/// new one therefore agree with the rewrite, and records that were appended later do not.
struct RewriteAgreement {
  /// The number of keys in the records.
  private(set) var keyCount = 0
  /// The number of keys for which the records and the rewrite agree.
  private(set) var agreeing = 0

  /// Compares the records of `extent`, read around `gaps`, with those of `confirmed`.
  init<S: Store>(
    of extent: Extent, around gaps: [Gap] = [], in store: S, with confirmed: Snapshot
  ) {
    let newest = Self.newest(of: extent, around: gaps, in: store)
    guard !newest.isEmpty else { return }
    var old: [Key: Record] = [:]
    for record in confirmed.live { old[store.key(of: record)] = record }
    keyCount = newest.count
    agreeing = newest.count { record in
      guard let known = old[store.key(of: record)] else { return record.operation == .remove }
      let value = store.value(of: record)
      let other = store.value(of: known)
      // A rewrite can add or drop bytes after a value, such as its expiry time.
      return record.operation == .put && (value.starts(with: other) || other.starts(with: value))
    }
  }

  /// Returns the newest record of each key in `extent`, read around `gaps`.
  private static func newest<S: Store>(
    of extent: Extent, around gaps: [Gap] = [], in store: S
  ) -> [Record] {
    let image = store.decoded(extent.file)
    var table = LiveTable(for: extent.range)
    RecordBatch.read(store, log: extent, scan: .plain, around: gaps) { table.add($0, in: image) }
    return table.newest
  }

  /// Whether the records are older than the rewrite.
  var isOlder: Bool { keyCount > 1 && agreeing == keyCount }
}
