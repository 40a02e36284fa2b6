/// Bytes that have one meaning: a header field, the log, the slack behind it.
public struct Region: Hashable, Sendable {
  /// The bytes.
  public let extent: Extent
  /// What they are ("actual size").
  public let name: String
  /// What they say, for people; empty where there is nothing to say.
  public let meaning: String

  /// The region at `extent`.
  public init(_ extent: Extent, _ name: String, _ meaning: String = "") {
    self.extent = extent
    self.name = name
    self.meaning = meaning
  }
}
