extension BinaryInteger {
  /// The number in decimal, with commas as thousands separators: `67,108,864`.
  package var grouped: String {
    let digits = String(magnitude)
    var text = self < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return text
  }

  /// Returns the number, as ``grouped``, with the form of a noun that it needs.
  package func counted(_ one: String, _ many: String) -> String {
    "\(grouped) \(self == 1 ? one : many)"
  }

  /// The number, as ``grouped``, of bytes.
  package var inBytes: String { counted("byte", "bytes") }
}
