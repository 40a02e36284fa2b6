/// Rates formatted for people.
enum Percentage {
  /// Returns `rate` as a percentage with three significant digits, without trailing zeros.
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
