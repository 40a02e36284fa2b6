extension BinaryFloatingPoint where Self: CustomStringConvertible {
  /// The number in decimal, which reads back as the same number: `0.1`, `494947264.0`, `1e+30`.
  ///
  /// The digits are the fewest that this type distinguishes, except that an integer of 64 bits,
  /// signed or unsigned, has all of its digits. As a float, 494947264 needs only the digits of 4.9494726e+08, but whoever
  /// reads those as a double gets another number, and a point in time becomes another one.
  package var digits: String {
    @specialized(where Self == Double)
    get {
      if isZero { return description }
      // Of a type that is not known when this is compiled, the conversion goes bit by bit.
      let number = Double(self)
      if let whole = Int64(exactly: number) { return "\(whole).0" }
      return UInt64(exactly: number).map { "\($0).0" } ?? description
    }
  }
}
