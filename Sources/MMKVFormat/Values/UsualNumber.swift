/// A number whose bytes tell whether a program is likely to have stored it.
protocol UsualNumber: BinaryFloatingPoint, CustomStringConvertible where Exponent == Int {
  /// The integer of the same bytes.
  associatedtype Bits: FixedWidthInteger, UnsignedInteger

  /// The number of these bits.
  init(bitPattern: Bits)

  /// The binary exponents that numbers in programs have.
  static var usualExponents: ClosedRange<Int> { get }

  /// How many bits it takes to say that a number has such an exponent by chance.
  static var bitsOfUsual: Double { get }

  /// The decimal digits that chance seldom stays below, and numbers that people write seldom pass.
  static var fewDigits: Int { get }
}

extension Float: UsualNumber {
  /// About 0.000001 to 2,000,000,000: a fifth of all bit patterns.
  static var usualExponents: ClosedRange<Int> { -20...30 }
  static var bitsOfUsual: Double { 2.3 }
  static var fewDigits: Int { 6 }
}

extension Double: UsualNumber {
  /// About 0.000000001 to nanoseconds since 1970: one of twenty bit patterns.
  static var usualExponents: ClosedRange<Int> { -30...62 }
  static var bitsOfUsual: Double { 4.4 }
  static var fewDigits: Int { 12 }
}

extension UsualNumber {
  /// Whether this is zero or a number of a usual order of magnitude.
  var isUsual: Bool { isZero || isFinite && Self.usualExponents.contains(exponent) }

  /// How many decimal digits it takes to tell the number from its neighbors.
  var significantDigits: Int { countSignificantDigits(description) }

  /// How many numbers `bytes` are one after the other, or `nil` where a part remains.
  static func count(in bytes: Span<UInt8>) -> Int? {
    let width = Bits.bitWidth / 8
    return bytes.count.isMultiple(of: width) ? bytes.count / width : nil
  }

  /// Whether all numbers that `bytes` are one after the other satisfy `condition`.
  static func allSatisfy(in bytes: Span<UInt8>, _ condition: (Self) -> Bool) -> Bool {
    var offset = 0
    while let bits = bytes.integer(Bits.self, at: offset) {
      guard condition(Self(bitPattern: bits)) else { return false }
      offset += Bits.bitWidth / 8
    }
    return true
  }

  /// The numbers that `bytes` are one after the other, those within the first `limit` bytes; `nil` where
  /// a part remains.
  static func list(in bytes: Span<UInt8>, keeping limit: Int = .max) -> [Self]? {
    guard count(in: bytes) != nil else { return nil }
    let width = Bits.bitWidth / 8
    var numbers: [Self] = []
    numbers.reserveCapacity(min(limit, bytes.count) / width)
    var offset = 0
    while limit - offset >= width, let bits = bytes.integer(Bits.self, at: offset) {
      numbers.append(Self(bitPattern: bits))
      offset += width
    }
    return numbers
  }
}

extension UInt64 {
  /// How many decimal digits there are before the zeros at the end.
  var significantDigits: Int { countSignificantDigits(description) }
}

/// The digits of a decimal number, without the zeros at both ends and without the exponent.
private func countSignificantDigits(_ text: String) -> Int {
  var digits = 0
  var zeros = 0
  for character in text.utf8 {
    switch character {
    case UInt8(ascii: "e"): return digits
    case UInt8(ascii: "0"): zeros += digits == 0 ? 0 : 1
    case UInt8(ascii: "1")...UInt8(ascii: "9"):
      digits += zeros + 1
      zeros = 0
    default: break
    }
  }
  return digits
}
