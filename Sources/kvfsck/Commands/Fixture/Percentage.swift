/// Rates as people read them.
enum Percentage {
  /// Returns `rate` in per cent with three significant digits, without zeros at its end.
  static func text(_ rate: Double) -> String {
    guard rate > 0 else { return "0%" }
    var scaled = rate * 100
    var places = 0
    while scaled < 100, places < 14 {
      scaled *= 10
      places += 1
    }
    let digits = "\(Int(scaled.rounded()))"
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    var fraction = padded.suffix(places)
    while fraction.last == "0" { fraction.removeLast() }
    return "\(padded.dropLast(places))\(fraction.isEmpty ? "" : ".")\(fraction)%"
  }
}
