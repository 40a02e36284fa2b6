#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Logarithms to base 2: all odds are measured in bits.
package enum Logarithm {
  /// Returns the base-2 logarithm of `value`.
  ///
  /// - Precondition: `value` is greater than 0.
  package static func base2(_ value: Double) -> Double { log2(value) }

  /// Returns 2 to the power of `bits`.
  package static func power2(_ bits: Double) -> Double { exp2(bits) }

  /// Returns the base-2 logarithm of the number of ways to choose `count` of `total` items.
  ///
  /// If `count` is above 1,024, the result is an upper bound that is too high by less than log2 of
  /// `total`.
  ///
  /// - Complexity: O(`count`), at most 1,024 steps.
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
