import KVModel

/// A floating-point number whose bytes show whether a program is likely to have stored it.
protocol UsualNumber: BinaryFloatingPoint, CustomStringConvertible where Exponent == Int {
  /// The unsigned integer of the same width.
  associatedtype Bits: FixedWidthInteger, UnsignedInteger

  /// Creates the number with this bit pattern.
  init(bitPattern: Bits)

  /// The binary exponents that numbers in programs usually have.
  static var usualExponents: ClosedRange<Int> { get }

  /// The improbability of such an exponent in random bits, in bits.
  static var bitsOfUsual: Double { get }

  /// The type of a list of such numbers.
  static var listKind: Value.Kind { get }

  /// The number of decimal digits that random numbers seldom stay within, and written ones seldom
  /// exceed.
  static var fewDigits: Int { get }
}

extension Float: UsualNumber {
  /// About 0.000001 to 2,000,000,000: a fifth of all bit patterns.
  static var usualExponents: ClosedRange<Int> { -20...30 }
  static var bitsOfUsual: Double { 2.3 }
  static var fewDigits: Int { 6 }
  static var listKind: Value.Kind { .floatList }
}

extension Double: UsualNumber {
  /// About 0.000000001 to nanoseconds since 1970: one in twenty bit patterns.
  static var usualExponents: ClosedRange<Int> { -30...62 }
  static var bitsOfUsual: Double { 4.4 }
  static var fewDigits: Int { 12 }
  static var listKind: Value.Kind { .doubleList }
}

extension UsualNumber {
  /// Whether the number is zero or has a usual order of magnitude.
  var isUsual: Bool { isZero || isFinite && Self.usualExponents.contains(exponent) }

  /// The number of decimal digits needed to tell the number from its neighbors.
  var significantDigits: Int { countSignificantDigits(description) }

  /// Returns how many numbers `bytes` holds; `nil` if it does not hold a whole number of them.
  static func count(in bytes: Span<UInt8>) -> Int? {
    let width = Bits.bitWidth / 8
    return bytes.count.isMultiple(of: width) ? bytes.count / width : nil
  }

  /// Returns whether all numbers in `bytes` satisfy `condition`.
  static func allSatisfy(in bytes: Span<UInt8>, _ condition: (Self) -> Bool) -> Bool {
    var offset = 0
    while let bits = bytes.integer(Bits.self, at: offset) {
      guard condition(Self(bitPattern: bits)) else { return false }
      offset += Bits.bitWidth / 8
    }
    return true
  }

  /// Returns the numbers within the first `limit` bytes of `bytes`, and how many there are in all;
  /// `nil` if it does not hold a whole number of them.
  static func list(in bytes: Span<UInt8>, keeping limit: Int) -> ([Self], count: Int)? {
    guard let count = count(in: bytes) else { return nil }
    let width = Bits.bitWidth / 8
    var numbers: [Self] = []
    numbers.reserveCapacity(min(limit, bytes.count) / width)
    var offset = 0
    while limit - offset >= width, let bits = bytes.integer(Bits.self, at: offset) {
      numbers.append(Self(bitPattern: bits))
      offset += width
    }
    return (numbers, count)
  }
}

extension UInt64 {
  /// The number of decimal digits without trailing zeros.
  var significantDigits: Int { countSignificantDigits(description) }
}

/// Returns the number of digits in a decimal number, without leading and trailing zeros and the
/// exponent.
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
