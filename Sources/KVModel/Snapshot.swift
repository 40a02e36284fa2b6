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
