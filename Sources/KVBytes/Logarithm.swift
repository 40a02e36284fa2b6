#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Logarithms to base 2: the unit of all odds is the bit.
package enum Logarithm {
  /// Returns log2 of `value`.
  ///
  /// - Precondition: `value` is greater than 0.
  package static func base2(_ value: Double) -> Double { log2(value) }

  /// Returns log2 of the number of ways to choose `count` of `total` things.
  ///
  /// - Complexity: O(`count`), at most 1024 steps: above that, it is an upper bound that is off by less
  ///   than log2 of `total`.
  package static func base2(_ total: Int, choose count: Int) -> Double {
    guard count > 0, count < total else { return 0 }
    let (all, chosen) = (Double(total), Double(count))
    guard count > 1024 else {
      return (0..<count).reduce(0) { $0 + base2((all - Double($1)) / Double($1 + 1)) }
    }
    let rest = all - chosen
    return chosen * base2(all / chosen) + rest * base2(all / rest)
  }
}
