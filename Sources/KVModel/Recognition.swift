/// How likely files are a store of a format, and why.
public struct Recognition: Hashable, Sendable {
  /// From 0, surely not, to 100, surely.
  public let likelihood: Int
  /// What speaks for it or against it, for people.
  public let reasons: [String]

  /// A likelihood with its reasons.
  public init(_ likelihood: Int, because reasons: [String]) {
    self.likelihood = likelihood
    self.reasons = reasons
  }
}
