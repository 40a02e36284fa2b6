/// The interval in which a rate lies with a probability of 95%, by how often something was counted.
///
/// Wilson's score interval: it stays within 0 and 1, and is right for few cases and for none.
package struct WilsonInterval: Hashable, Sendable {
  /// The quantile of the normal distribution for 95% on both sides.
  private static let quantile = 1.959963984540054

  /// The lower end; 0 where nothing was counted.
  package let lower: Double
  /// The upper end; 1 where there was no case.
  package let upper: Double

  /// The interval for `count` of `total` cases.
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
