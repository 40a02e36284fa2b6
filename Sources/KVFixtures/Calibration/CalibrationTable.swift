/// Claims of one kind, by what they claimed and whether they were true.
///
/// ```swift
/// var table = CalibrationTable()
/// table.add(bits: 16, isTrue: false)
/// let overconfident = table.bins.filter(\.isOverconfident)
/// ```
package struct CalibrationTable: Hashable, Sendable {
  /// Claims whose bits lie in one range.
  package struct Bin: Hashable, Sendable {
    /// The least bits of the bin; `nil` for corrections whose odds are not stated.
    package let bits: Int?
    /// How many claims there were.
    package let claims: Int
    /// How many of them were false.
    package let falseClaims: Int
    /// The rate of false claims by the claims themselves, the mean of 2^-bits; 1 where none is stated.
    package let claimedRate: Double

    /// The measured rate of false claims.
    package var rate: Double { claims == 0 ? 0 : Double(falseClaims) / Double(claims) }
    /// The interval of 95% around ``rate``.
    package var interval: WilsonInterval { WilsonInterval(falseClaims, of: claims) }
    /// Whether the interval lies above what was claimed: the claims are not true.
    package var isOverconfident: Bool { interval.lower > claimedRate }
  }

  /// How many bits a bin has.
  package static let binWidth = 4

  private struct Count: Hashable {
    var claims = 0
    var falseClaims = 0
  }

  private var counts: [Int: Count] = [:]
  private var unstated = Count()

  /// A table without claims.
  package init() {}

  /// Adds a correction with odds of 1 in 2 to `bits`; `nil` where no odds are stated.
  package mutating func add(bits: Int?, isTrue: Bool) {
    func add(_ count: inout Count) {
      count.claims += 1
      if !isTrue { count.falseClaims += 1 }
    }
    if let bits { add(&counts[max(0, bits), default: Count()]) } else { add(&unstated) }
  }

  /// How many claims there are.
  package var claims: Int { counts.values.reduce(unstated.claims) { $0 + $1.claims } }

  /// The claims by their bits, the least first; those without odds come before.
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
      // In order, so that the sum is the same each time.
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
