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

  /// The date and the time, to the second.
  var text: String {
    // Beyond these years a calendar says nothing that a number would not.
    guard seconds.isFinite, abs(seconds) < 253_402_300_800 else { return "\(seconds)" }
    return Date(timeIntervalSince1970: seconds.rounded(.down)).formatted(.iso8601)
  }
}
