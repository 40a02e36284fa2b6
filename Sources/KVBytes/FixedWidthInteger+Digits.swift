extension FixedWidthInteger {
  /// Creates a number from `digits`; `nil` if they are not digits of this radix, if there are none,
  /// or if the number does not fit.
  ///
  /// Unlike `init(_:radix:)`, this initializer accepts no sign.
  package init?(digits: some StringProtocol, radix: Int) {
    guard let first = digits.utf8.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-")
    else { return nil }
    self.init(digits, radix: radix)
  }
}
