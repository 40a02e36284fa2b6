/// The 95% confidence interval of a rate.
///
/// This is Wilson's score interval. It stays within 0 and 1, and holds for small samples and for
/// extreme rates.
package struct WilsonInterval: Hashable, Sendable {
  /// The quantile of the normal distribution for a two-sided interval of 95%.
  private static let quantile = 1.959963984540054

  /// The lower bound, which is 0 if nothing was counted.
  package let lower: Double
  /// The upper bound, which is 1 if every case was counted or there are no cases.
  package let upper: Double

  /// Creates the interval for `count` of `total` cases.
  ///
  /// - Precondition: `0 <= count <= total`.
  package init(_ count: Int, of total: Int) {
    precondition((0...total).contains(count))
    guard total > 0 else {
      (lower, upper) = (0, 1)
      return
    }
    let cases = Double(total)
    let rate = Double(count) / cases
    let square = Self.quantile * Self.quantile
    let center = rate + square / (2 * cases)
    let spread =
      Self.quantile
      * (rate * (1 - rate) / cases + square / (4 * cases * cases)).squareRoot()
    let scale = 1 + square / cases
    lower = count == 0 ? 0 : max(0, (center - spread) / scale)
    upper = count == total ? 1 : min(1, (center + spread) / scale)
  }
}
