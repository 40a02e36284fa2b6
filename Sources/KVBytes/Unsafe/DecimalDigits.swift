#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Double {
  /// The most digits that the exact value of a number can have, without zeros in front and at the end.
  package static let maximumDigitCount = 767

  /// The number's first `count` decimal digits from its first one that is not zero, correctly rounded.
  ///
  /// The C function is `vsnprintf`.
  ///
  /// - Precondition: It is finite, and `count` is from 1 to ``maximumDigitCount``.
  package func digits(_ count: Int) -> [UInt8] {
    // A sign, a point, and an exponent with its sign and the zero at the end.
    var text = [CChar](repeating: 0, count: count + 10)
    unsafe withVaList([CInt(count - 1), self]) { arguments in
      unsafe _ = vsnprintf(&text, text.count, "%.*e", arguments)
    }
    let zero = UInt8(ascii: "0")
    return text.lazy.map { UInt8(bitPattern: $0) }.prefix { $0 != UInt8(ascii: "e") }
      .filter { (zero...zero + 9).contains($0) }
  }
}
