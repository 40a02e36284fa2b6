#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A point in time, spelled as ISO 8601 in UTC.
struct UTCDate {
  private let seconds: Double

  /// The time `seconds` after the start of 1970.
  init(_ seconds: Double) { self.seconds = seconds }

  /// The date and the time, with up to six digits of a fraction of a second.
  var text: String {
    // Beyond these years a calendar says nothing that a number would not.
    guard seconds.isFinite, abs(seconds) < 253_402_300_800 else { return "\(seconds)" }
    let whole = seconds.rounded(.down)
    let text = Date(timeIntervalSince1970: whole).formatted(.iso8601)
    let millionths = Int((seconds - whole) * 1_000_000)
    guard millionths > 0 else { return text }
    var digits = String(1_000_000 + millionths).dropFirst()
    while digits.last == "0" { digits.removeLast() }
    return "\(text.dropLast()).\(digits)Z"
  }
}
