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
