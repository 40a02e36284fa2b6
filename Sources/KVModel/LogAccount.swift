/// What one of a store's fields says about where the log ends.
public struct LogAccount: Hashable, Sendable {
  /// What the field is for.
  public enum Role: Hashable, Sendable {
    /// The log as it is now.
    case current
    /// The log as it was at the last full rewrite.
    case confirmed
    /// A field that the format's version does not go by, and that may be right all the same.
    case alternate
    /// Another copy that is right about itself, and older than what the current account speaks of.
    case former
  }

  /// What the field is for.
  public let role: Role
  /// The field, for people ("the meta file's actual size").
  public let origin: String
  /// How many bytes the log has, by the field.
  public let count: Int
  /// Where that is stored.
  public let statedAt: Extent?
  /// The log, or nothing when so many bytes are not there.
  public let log: Extent?
  /// The digest that goes with the field, or nothing where none is stored.
  public let digest: UInt64?
  /// How that digest is computed.
  public let algorithm: ChecksumClaim.Algorithm
  /// The digest held against the bytes, or nothing when there is no digest or no such log.
  public let claim: ChecksumClaim?
  /// Whether the digest holds only after bytes were put right, which a finding names.
  public let isCorrected: Bool
  /// Whether the log may end earlier or later than that, so that its newest records may be older ones.
  public let isEndDoubtful: Bool

  /// An account of the log.
  public init(
    _ role: Role, origin: String, count: Int, statedAt: Extent?, log: Extent?, digest: UInt64?,
    algorithm: ChecksumClaim.Algorithm = .crc32, claim: ChecksumClaim?, isCorrected: Bool = false,
    isEndDoubtful: Bool = false
  ) {
    self.role = role
    self.origin = origin
    self.count = count
    self.statedAt = statedAt
    self.log = log
    self.digest = digest
    self.algorithm = algorithm
    self.claim = claim
    self.isCorrected = isCorrected
    self.isEndDoubtful = isEndDoubtful
  }

  /// The account without its claim, for a log of which the bytes are whole and the decoding is not.
  public var withoutClaim: LogAccount {
    LogAccount(
      role, origin: origin, count: count, statedAt: statedAt, log: log, digest: digest, claim: nil)
  }

  /// The account where its digest holds only after bytes were put right.
  public var corrected: LogAccount {
    LogAccount(
      role, origin: origin, count: count, statedAt: statedAt, log: log, digest: digest,
      algorithm: algorithm, claim: claim, isCorrected: true, isEndDoubtful: isEndDoubtful)
  }

  /// Whether a stored digest says that the log is whole.
  public var isVouchedFor: Bool { claim?.isSatisfied ?? false }
}
