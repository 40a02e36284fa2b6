/// How far an entry is verified; see `Docs/RECOVERY.md`.
public enum Evidence: String, Hashable, Sendable, Comparable, CaseIterable {
  /// The start of the record was found by resynchronizing after unreadable bytes, or the record may
  /// not be a whole one.
  case guess
  /// No checksum verifies the bytes, but the records up to this one decode.
  case structure
  /// A stored checksum matches over the bytes after a correction; a finding names the correction.
  case corrected
  /// A stored checksum matches over the bytes.
  case checksum

  private var rank: Int {
    switch self {
    case .guess: 0
    case .structure: 1
    case .corrected: 2
    case .checksum: 3
    }
  }

  /// Returns whether `first` is weaker than `second`.
  public static func < (first: Evidence, second: Evidence) -> Bool { first.rank < second.rank }
}

/// A fault that no checksum rules out, which does not mean that the entry has it.
public enum Caution: String, Hashable, Sendable, CaseIterable {
  /// The value may have changed: the checksum over its bytes does not match, or is lost.
  case mayBeDamaged = "may-be-damaged"
  /// The key may have been set again or removed in unreadable bytes.
  case mayBeStale = "may-be-stale"
}

/// How unlikely it is that a correction fits by chance: 1 in 2 to the power of ``bits``.
///
/// Every correction of every format is measured on this scale:
///
///     bits = checksum bits that match only with it
///          + bits of framing and plausibility that it restores
///          - log2 (candidates that were tried)
///
/// `Docs/MEASUREMENTS.md` compares the claimed odds with how often such corrections were wrong in
/// damaged stores.
public struct CoincidenceOdds: Hashable, Sendable, Comparable {
  /// The number of bits from which a correction gives entries the evidence ``Evidence/corrected``.
  package static let correctedBits = 12
  /// The number of bits from which a correction is applied, with ``Evidence/structure`` and a
  /// caution; with fewer, it is only listed.
  package static let likelyBits = 6

  /// The binary logarithm of the odds, rounded down; never negative.
  public let bits: Int

  /// Creates the odds of a correction that was chosen among `candidates`.
  ///
  /// - Parameters:
  ///   - checksumBits: The width of the checksums that match with the correction and did not match
  ///     without it.
  ///   - framingBits: The bits contributed by the records that decode only with the correction.
  ///   - candidates: The number of corrections that could have been chosen, over all classes that
  ///     were tried so far; at least 1.
  package init(checksumBits: Int, framingBits: Int = 0, candidates: Double) {
    let count = max(1, candidates)
    let logarithm = Int(count.exponent) + (count.significand > 1 ? 1 : 0)
    bits = max(0, checksumBits + framingBits - logarithm)
  }

  /// Whether entries that depend on the correction have the evidence ``Evidence/corrected``.
  package var isProven: Bool { bits >= Self.correctedBits }

  /// Whether the correction is applied at all.
  package var isLikely: Bool { bits >= Self.likelyBits }

  /// The odds, for people: `1 in 2^18`.
  public var text: String { "1 in 2^\(bits)" }

  /// Returns whether `first` are the weaker odds: those more likely to arise by chance.
  public static func < (first: CoincidenceOdds, second: CoincidenceOdds) -> Bool {
    first.bits < second.bits
  }
}
