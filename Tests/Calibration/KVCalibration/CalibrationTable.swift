/// Claims of one kind, grouped by the odds they claimed, with the number of false ones.
///
/// ```swift
/// var table = CalibrationTable()
/// table.add(bits: 16, isTrue: false)
/// let overconfident = table.bins.filter(\.isOverconfident)
/// ```
package struct CalibrationTable: Hashable, Sendable {
  /// The claims whose bits lie in one range.
  package struct Bin: Hashable, Sendable {
    /// The lower bound of the bits, or `nil` for corrections without stated odds.
    package let bits: Int?
    /// The number of claims.
    package let claims: Int
    /// The number of false claims.
    package let falseClaims: Int
    /// The rate of false claims according to the claims: the mean of 2^-bits, or 1 if no odds are
    /// stated.
    package let claimedRate: Double

    /// The measured rate of false claims.
    package var rate: Double { claims == 0 ? 0 : Double(falseClaims) / Double(claims) }
    /// The 95% confidence interval of ``rate``.
    package var interval: WilsonInterval { WilsonInterval(falseClaims, of: claims) }
    /// Whether the whole interval lies above the claimed rate, so that the claims are too
    /// optimistic.
    package var isOverconfident: Bool { interval.lower > claimedRate }
  }

  /// The number of bits that a bin spans.
  package static let binWidth = 4

  private struct Count: Hashable {
    var claims = 0
    var falseClaims = 0
  }

  private var counts: [Int: Count] = [:]
  private var unstated = Count()

  /// Creates a table without claims.
  package init() {}

  /// Adds a correction that claimed odds of 1 in 2^`bits`, or stated no odds if `bits` is `nil`.
  package mutating func add(bits: Int?, isTrue: Bool) {
    func add(_ count: inout Count) {
      count.claims += 1
      if !isTrue { count.falseClaims += 1 }
    }
    if let bits { add(&counts[max(0, bits), default: Count()]) } else { add(&unstated) }
  }

  /// The number of claims.
  package var claims: Int { counts.values.reduce(unstated.claims) { $0 + $1.claims } }

  /// The claims grouped by their bits, in ascending order.
  ///
  /// Claims without stated odds come first.
  package var bins: [Bin] {
    var bins: [Bin] = []
    if unstated.claims > 0 {
      bins.append(
        Bin(
          bits: nil, claims: unstated.claims, falseClaims: unstated.falseClaims, claimedRate: 1))
    }
    let groups = Dictionary(grouping: counts.keys) { $0 / Self.binWidth * Self.binWidth }
    for (start, all) in groups.sorted(by: { $0.key < $1.key }) {
      var sum = Count()
      var claimed = 0.0
      // A floating-point sum depends on the order, so the order is fixed.
      for bits in all.sorted() {
        let count = counts[bits] ?? Count()
        sum.claims += count.claims
        sum.falseClaims += count.falseClaims
        claimed += Double(count.claims) * Self.rate(bits)
      }
      bins.append(
        Bin(
          bits: start, claims: sum.claims, falseClaims: sum.falseClaims,
          claimedRate: claimed / Double(sum.claims)))
    }
    return bins
  }

  private static func rate(_ bits: Int) -> Double {
    Double(sign: .plus, exponent: -bits, significand: 1)
  }
}
