/// The probability that an entry is right: that its key had exactly this type and these stored bytes
/// in the last state that the app had stored before the damage, or in the one that its operation in
/// flight would have made.
///
/// An expired entry counts as present, and one that was removed later as wrong. No probability is 1,
/// because no checksum excludes that a whole file is an older one.
public struct Probability: Hashable, Sendable, Comparable {
  /// The probability in steps of 1/10,000, rounded down; at most 9,999.
  public let tenThousandths: Int

  /// Creates the probability `value`, from 0 to 1; what is no number counts as 0.
  public init(_ value: Double) {
    tenThousandths = value > 0 ? min(9_999, Int(min(value, 1) * 10_000)) : 0
  }

  /// The highest probability, as no checksum excludes that a whole file is an older one.
  package static let most = Probability(1)

  /// The probability from which a repair keeps an entry: it is then more likely right than wrong.
  package static let evenOdds = Probability(0.5)

  /// The probability, from 0 to 0.9999.
  public var value: Double { Double(tenThousandths) / 10_000 }

  /// The probability with four digits, for people: `0.9731`.
  public var text: String {
    let digits = String(tenThousandths)
    return "0." + String(repeating: "0", count: 4 - digits.utf8.count) + digits
  }

  /// Returns whether `first` is the lower probability.
  public static func < (first: Probability, second: Probability) -> Bool {
    first.tenThousandths < second.tenThousandths
  }
}
