package import SystemPackage

/// The result of replaying a log: the live entries, and what became of every other byte.
package struct Snapshot: Hashable, Sendable {
  /// The records of the live entries, in file order.
  package let live: [Record]
  /// The number of records in the log, including the live ones.
  package let recordCount: Int
  /// The gaps, in file order.
  package let gaps: [Gap]
  /// The records of the log whose own checksums do not match, live or not, in file order.
  package let contradicted: [Record]
  /// The bytes of the replayed log, by category.
  package let bytes: ByteTally
  /// The records of the log that are not live; `nil` if the live ones are not those of the replay
  /// alone, so that the records have to be counted.
  package let past: PastRecords?

  /// Creates the result of a replay.
  package init(
    live: [Record], recordCount: Int, gaps: [Gap], bytes: ByteTally, contradicted: [Record] = [],
    past: PastRecords? = nil
  ) {
    self.contradicted = contradicted
    self.past = past
    self.live = live
    self.recordCount = recordCount
    self.gaps = gaps
    self.bytes = bytes
  }

  /// Returns the same snapshot with `live` as the records of the live entries.
  package func holding(_ live: [Record]) -> Snapshot {
    Snapshot(
      live: live, recordCount: recordCount, gaps: gaps, bytes: bytes, contradicted: contradicted)
  }

  /// The snapshot of an empty log.
  package static let empty = Snapshot(live: [], recordCount: 0, gaps: [], bytes: ByteTally())
}

/// A record of a store's history, for output formats that have a table of these records.
package struct HistoricRecord: Hashable, Sendable {
  /// The key.
  package let key: Key
  /// `put` or `remove`.
  package let operation: String
  /// `live`, `superseded`, `removed` or `slack`.
  package let state: String
  /// The record's place, its evidence, and its value's bytes.
  package let origin: EntryOrigin

  /// Creates a record.
  package init(key: Key, operation: String, state: String, origin: EntryOrigin) {
    self.key = key
    self.operation = operation
    self.state = state
    self.origin = origin
  }

  /// Returns the same record, marked as in `store`, one of several.
  package func within(_ store: FilePath?) -> HistoricRecord {
    HistoricRecord(key: key, operation: operation, state: state, origin: origin.within(store))
  }
}

/// The number of records that are not live, by what became of them, and the bytes left after the
/// log.
package struct PastRecords: Hashable, Sendable {
  /// Records whose key was set again later.
  package var superseded = 0
  /// Records whose key was removed later, and the records that removed them.
  package var removed = 0
  /// Records outside the log; `nil` if they were not counted.
  package var residual: Int? = 0
  /// The bytes outside the log up to the last that is not zero.
  package var residualBytes = 0

  /// Creates counts of 0.
  package init() {}

  /// The number of records, as far as they were counted.
  package var recordCount: Int { superseded + removed + (residual ?? 0) }

  /// Adds the counts of `other`; what one of the two lacks counts as 0.
  package mutating func add(_ other: PastRecords) {
    superseded += other.superseded
    removed += other.removed
    residual = residual.map { $0 + (other.residual ?? 0) } ?? other.residual
    residualBytes += other.residualBytes
  }
}

/// The number of bytes in each category; together they are all bytes that were examined.
package struct ByteTally: Hashable, Sendable {
  /// Records of live entries.
  package var live = 0
  /// Records whose key was set again later.
  package var superseded = 0
  /// Records whose key was removed later, and the records that removed them.
  package var removed = 0
  /// Bytes in which no record could be read.
  package var lost = 0
  /// Headers, prefixes, filler and other bytes that the format requires.
  package var structure = 0
  /// Bytes outside the log.
  package var slack = 0
  /// Bytes of other copies of the log.
  package var copies = 0

  /// Creates a tally without any bytes.
  package init() {}

  /// All bytes.
  package var total: Int { live + superseded + removed + lost + structure + slack + copies }
}
