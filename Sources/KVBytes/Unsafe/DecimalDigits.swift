#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Double {
  /// The largest number of significant decimal digits in the exact value of a `Double`.
  package static let maximumDigitCount = 767

  /// Returns the first `count` significant decimal digits, correctly rounded.
  ///
  /// The C function is `vsnprintf`.
  ///
  /// - Precondition: The number is finite, and `count` is from 1 to ``maximumDigitCount``.
  package func digits(_ count: Int) -> [UInt8] {
    // Room for a sign, a point, an exponent with its sign, and the terminating zero.
    var text = [CChar](repeating: 0, count: count + 10)
    unsafe withVaList([CInt(count - 1), self]) { arguments in
      unsafe _ = vsnprintf(&text, text.count, "%.*e", arguments)
    }
    let zero = UInt8(ascii: "0")
    return text.lazy.map { UInt8(bitPattern: $0) }.prefix { $0 != UInt8(ascii: "e") }
      .filter { (zero...zero + 9).contains($0) }
  }
}
