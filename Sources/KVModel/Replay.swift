/// The result of replaying a log: what is live, and what became of every other byte.
public struct Snapshot: Hashable, Sendable {
  /// The records of the live entries, in file order.
  public let live: [Record]
  /// How many records the log has, the live ones included.
  public let recordCount: Int
  /// Where no record could be read, in file order.
  public let gaps: [Gap]
  /// The records of the log whose own checksums do not hold, live or not, in file order.
  public let contradicted: [Record]
  /// The bytes of the replayed log, by what they are.
  public let bytes: ByteTally

  /// The result of a replay.
  public init(
    live: [Record], recordCount: Int, gaps: [Gap], bytes: ByteTally, contradicted: [Record] = []
  ) {
    self.contradicted = contradicted
    self.live = live
    self.recordCount = recordCount
    self.gaps = gaps
    self.bytes = bytes
  }

  /// The snapshot of a log of no bytes.
  public static let empty = Snapshot(live: [], recordCount: 0, gaps: [], bytes: ByteTally())
}

/// A record of a store's history, for formats that have a table of them.
public struct HistoricRecord: Hashable, Sendable {
  /// The key.
  public let key: Key
  /// `put` or `remove`.
  public let operation: String
  /// `live`, `superseded`, `removed` or `slack`.
  public let state: String
  /// Where the record is, what vouches for it, and its value's bytes.
  public let origin: EntryOrigin

  /// A record.
  public init(key: Key, operation: String, state: String, origin: EntryOrigin) {
    self.key = key
    self.operation = operation
    self.state = state
    self.origin = origin
  }
}

/// How many bytes are what; together they are all bytes that were looked at.
public struct ByteTally: Hashable, Sendable {
  /// Records of live entries.
  public var live = 0
  /// Records whose key was set again later.
  public var superseded = 0
  /// Records whose key was removed later, and the records that removed them.
  public var removed = 0
  /// Bytes in which no record could be read.
  public var lost = 0
  /// Headers, prefixes, filler and other bytes that the format asks for.
  public var structure = 0
  /// Bytes outside the log.
  public var slack = 0
  /// Bytes of other copies of the log.
  public var copies = 0

  /// No bytes.
  public init() {}

  /// All bytes.
  public var total: Int { live + superseded + removed + lost + structure + slack + copies }
}
