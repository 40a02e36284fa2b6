extension BinaryFloatingPoint where Self: CustomStringConvertible {
  /// The number in decimal, which reads back as the same number: `0.1`, `494947264.0`, `1e+30`.
  ///
  /// The digits are the fewest that this type distinguishes, except that an integer below 2^64 has
  /// all of its digits. As a float, 494947264 needs only the digits of 4.9494726e+08, but whoever
  /// reads those as a double gets another number, and a point in time becomes another one.
  package var digits: String {
    guard isFinite, let whole = UInt64(exactly: magnitude) else { return description }
    return (sign == .minus ? "-" : "") + String(whole) + ".0"
  }
}
