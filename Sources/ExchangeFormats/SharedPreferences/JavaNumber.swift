/// Numbers in the form of Java's `Float.toString` and `Double.toString`.
enum JavaNumber {
  /// Returns the text of `number`, which reads back as the same number.
  ///
  /// The text of every NaN is `NaN`.
  static func text<Number: BinaryFloatingPoint & LosslessStringConvertible>(
    _ number: Number
  ) -> String {
    if number.isNaN { return "NaN" }
    let sign = number.sign == .minus ? "-" : ""
    if number.isInfinite { return sign + "Infinity" }
    if number.isZero { return sign + "0.0" }
    // Swift returns the same digits in another form: d.ddd, d.ddde±nn.
    let parts = number.magnitude.description.split(separator: "e")
    let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let fraction = mantissa.count > 1 ? mantissa[1] : ""
    var digits = Array((mantissa[0] + fraction).utf8)
    // The number is 0.digits × 10^point.
    var point = mantissa[0].utf8.count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
    let zeros = digits.prefix { $0 == UInt8(ascii: "0") }.count
    digits.removeFirst(zeros)
    point -= zeros
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    let text = digits.map { String(Unicode.Scalar($0)) }
    func joined(_ range: Range<Int>) -> String {
      let known = text[min(range.lowerBound, text.count)..<min(range.upperBound, text.count)]
        .joined()
      return known + String(repeating: "0", count: range.count - known.utf8.count)
    }
    switch point {
    case 1...7:
      return sign + joined(0..<point) + "." + joined(point..<max(point + 1, text.count))
    case -2...0:
      return sign + "0." + String(repeating: "0", count: -point) + joined(0..<text.count)
    default:
      return sign + joined(0..<1) + "." + joined(1..<max(2, text.count)) + "E\(point - 1)"
    }
  }

  /// Returns the number in `text`, or `nil` if it is not a number in Java's form.
  static func number<Number: BinaryFloatingPoint & LosslessStringConvertible>(
    _ text: String
  ) -> Number? {
    switch text {
    case "NaN": return .nan
    case "Infinity", "+Infinity": return .infinity
    case "-Infinity": return -.infinity
    default: break
    }
    // As Float.valueOf: spaces around the number are ignored, and so is the suffix of a literal.
    var number = text.utf8.drop { $0 <= 0x20 }
    while let last = number.last, last <= 0x20 { number.removeLast() }
    let isHexadecimal = number.contains { $0 | 0x20 == UInt8(ascii: "x") }
    let hasExponent = number.contains { $0 | 0x20 == UInt8(ascii: "p") }
    if !isHexadecimal || hasExponent, let last = number.last, "fFdD".utf8.contains(last) {
      number.removeLast()
    }
    // Swift also accepts "inf", and hexadecimal digits without an exponent.
    guard isHexadecimal == hasExponent,
      number.allSatisfy({ "0123456789+-.eExXpPabcdfABCDF".utf8.contains($0) }),
      isHexadecimal || number.allSatisfy({ "0123456789+-.eE".utf8.contains($0) })
    else { return nil }
    return Number(String(decoding: number, as: UTF8.self))
  }
}
