/// A time scale that programs use for numbers: a unit, and the moment from which it counts.
///
/// As integers, the times of one century do not overlap between scales. Seconds since 1970 have 9
/// or 10 digits, each smaller unit has three more, and the counts from 1601 lie between those.
package enum EpochUnit: Sendable {
  /// Seconds since 1970, as Unix counts.
  case seconds
  /// Milliseconds since 1970, as Java and JavaScript count.
  case milliseconds
  /// Microseconds since 1970.
  case microseconds
  /// Nanoseconds since 1970.
  case nanoseconds
  /// Microseconds since 1601, as WebKit counts.
  case webKit
  /// Tenths of microseconds since 1601, as Windows counts.
  case fileTime
  /// Seconds since 2001, with a fraction, as Cocoa counts.
  case cocoa
  /// A date of the format itself, which is no number that a reader has to interpret.
  case date

  /// The time scales that programs use for integers.
  private static let ofIntegers: [EpochUnit] = [
    .seconds, .milliseconds, .microseconds, .nanoseconds, .webKit, .fileTime,
  ]

  /// Times from September 2001, the first with ten digits, to 2039, in seconds.
  package static let recentSeconds = 1_000_000_000.0..<2_208_988_800.0

  /// Times from 1990 to 2099, in seconds.
  private static let dateSeconds = 631_152_000.0..<4_102_444_800.0

  /// Times from 2011 to 2040, in seconds since 2001.
  private static let recentReferenceSeconds = 315_532_800.0..<1_262_304_000.0

  /// Times from 2000 to 2099, in whole seconds.
  private static let century: Range<Int64> = 946_684_800..<4_102_444_800

  /// The name of the scale, for people.
  package var name: String {
    switch self {
    case .seconds: "seconds since 1970"
    case .milliseconds: "milliseconds since 1970"
    case .microseconds: "microseconds since 1970"
    case .nanoseconds: "nanoseconds since 1970"
    case .webKit: "microseconds since 1601 (WebKit)"
    case .fileTime: "tenths of microseconds since 1601 (FILETIME)"
    case .cocoa: "seconds since 2001 (Cocoa)"
    case .date: "a date"
    }
  }

  /// The moment from which the scale counts, in seconds since 1970.
  private var start: Int64 {
    switch self {
    case .seconds, .milliseconds, .microseconds, .nanoseconds, .date: 0
    case .webKit, .fileTime: -11_644_473_600
    case .cocoa: 978_307_200
    }
  }

  /// The number of units in a second.
  private var perSecond: Int64 {
    switch self {
    case .seconds, .cocoa, .date: 1
    case .milliseconds: 1_000
    case .microseconds, .webKit: 1_000_000
    case .fileTime: 10_000_000
    case .nanoseconds: 1_000_000_000
    }
  }

  /// The number of decimal digits of a second's fraction.
  private var digits: Int { perSecond.description.utf8.count - 1 }

  /// Returns whether `count` units after the scale's start is a time between 2000 and 2099.
  private func isTime(_ count: Int64) -> Bool {
    let (seconds, overflows) = (count / perSecond).addingReportingOverflow(start)
    return !overflows && EpochUnit.century.contains(seconds)
  }

  /// Returns the scale on which the integer `number` is a time between 2000 and 2099.
  package static func unit(of number: Int64) -> EpochUnit? {
    // No scale has a smaller number for the year 2000.
    guard number >= century.lowerBound else { return nil }
    return ofIntegers.first { $0.isTime(number) }
  }

  /// Returns the scales on which `number` can be a time, the likeliest first.
  package static func units(of number: Double) -> [EpochUnit] {
    var units: [EpochUnit] = []
    if recentSeconds.contains(number) { units.append(.seconds) }
    if recentReferenceSeconds.contains(number), number.rounded() != number {
      units.append(.cocoa)
    }
    if units.first != .seconds, dateSeconds.contains(number) { units.append(.seconds) }
    if let whole = Int64(exactly: number), EpochUnit.milliseconds.isTime(whole) {
      units.append(.milliseconds)
    }
    return units
  }

  /// Returns the time that is `count` units after the scale's start.
  ///
  /// - Precondition: ``unit(of:)`` returns this scale for the number.
  private func time(_ count: Int64) -> CountedTime {
    let (whole, rest) = count.quotientAndRemainder(dividingBy: perSecond)
    let seconds = whole + start
    return CountedTime(
      unit: self, seconds: Double(seconds) + Double(rest) / Double(perSecond),
      text: UTCDate.text(seconds, fraction: rest, digits: digits))
  }

  /// Returns the time that the integer `number` can represent.
  package static func time(in number: Int64) -> CountedTime? {
    unit(of: number).map { $0.time(number) }
  }

  /// Returns the time that `number` represents on this scale, one of ``units(of:)``.
  package func time(in number: Double) -> CountedTime {
    if self == .milliseconds, let whole = Int64(exactly: number) { return time(whole) }
    let seconds = self == .cocoa ? number + Double(start) : number
    return CountedTime(unit: self, seconds: seconds, text: UTCDate(seconds).text)
  }

  /// Returns the times that `number` can represent, the likeliest first.
  package static func times(in number: Double) -> [CountedTime] {
    units(of: number).map { $0.time(in: number) }
  }
}
