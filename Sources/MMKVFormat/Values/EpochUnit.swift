/// A unit in which programs count time since 1970-01-01 00:00:00 UTC.
///
/// The numbers of one century do not overlap: seconds have 9 or 10 digits, each further unit has
/// three more.
enum EpochUnit: Int64, CaseIterable {
  case seconds = 1
  case milliseconds = 1_000
  case microseconds = 1_000_000
  case nanoseconds = 1_000_000_000

  /// Times from 1990 to 2099, in seconds.
  static let dateSeconds = 631_152_000.0..<4_102_444_800.0

  /// Times from September 2001, when there were ten digits, to 2039, in seconds.
  static let recentSeconds = 1_000_000_000.0..<2_208_988_800.0

  /// Times from 2000 to 2099, in whole seconds.
  private static let century: Range<Int64> = 946_684_800..<4_102_444_800

  /// The unit's name in plural.
  var name: String {
    switch self {
    case .seconds: "seconds"
    case .milliseconds: "milliseconds"
    case .microseconds: "microseconds"
    case .nanoseconds: "nanoseconds"
    }
  }

  /// `count` of this unit in seconds, if that is a time from 2000 to 2099.
  func seconds(_ count: Int64) -> Double? {
    let (whole, rest) = count.quotientAndRemainder(dividingBy: rawValue)
    guard Self.century.contains(whole) else { return nil }
    return Double(whole) + Double(rest) / Double(rawValue)
  }
}
