/// How unlikely it is that a correction fits by chance: 1 in 2 to the power of ``bits``.
///
/// Every kind of correction in every format is measured on this one scale:
///
///     bits = checksum bits that hold only with it
///          + bits of framing and plausibility that it restores
///          - log2 (candidates that were tried)
///
/// `Docs/RECOVERY.md` holds the scale against damaged stores: the claimed odds, and how often such a
/// correction was wrong.
public struct CoincidenceOdds: Hashable, Sendable, Comparable {
  /// A correction with so many bits gives the evidence ``Evidence/corrected``.
  public static let correctedBits = 12
  /// A correction with so many bits is applied, with ``Evidence/structure`` and a caution; one with
  /// fewer is only listed.
  public static let likelyBits = 6

  /// The binary logarithm of the odds, rounded down; never negative.
  public let bits: Int

  /// The odds of a correction that was chosen among `candidates`.
  ///
  /// - Parameters:
  ///   - checksumBits: The width of the checksums that hold with it and did not without.
  ///   - framingBits: What the records are worth that decode only with it.
  ///   - candidates: How many corrections could have been chosen, over all classes that were tried
  ///     so far; at least 1.
  public init(checksumBits: Int, framingBits: Int = 0, candidates: Double) {
    let count = max(1, candidates)
    let logarithm = Int(count.exponent) + (count.significand > 1 ? 1 : 0)
    bits = max(0, checksumBits + framingBits - logarithm)
  }

  /// Whether entries under the correction are ``Evidence/corrected``.
  public var isProven: Bool { bits >= Self.correctedBits }

  /// Whether the correction is applied at all.
  public var isLikely: Bool { bits >= Self.likelyBits }

  /// The odds for people: `1 in 2^18`.
  public var text: String { "1 in 2^\(bits)" }

  /// The odds that are likelier to arise by chance are less.
  public static func < (first: CoincidenceOdds, second: CoincidenceOdds) -> Bool {
    first.bits < second.bits
  }
}
