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
  package static let ofIntegers: [EpochUnit] = [
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

  /// The number of decimal digits of a second's fraction: there are 10 to this power units in a
  /// second.
  private var digits: Int {
    switch self {
    case .seconds, .cocoa, .date: 0
    case .milliseconds: 3
    case .microseconds, .webKit: 6
    case .fileTime: 7
    case .nanoseconds: 9
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

  /// Returns the time that is `count` units after the scale's start, if it is between 2000 and
  /// 2099.
  package func time(_ count: Int64) -> CountedTime? {
    let perSecond = (0..<digits).reduce(Int64(1)) { product, _ in product * 10 }
    let (whole, rest) = count.quotientAndRemainder(dividingBy: perSecond)
    let (seconds, overflows) = whole.addingReportingOverflow(start)
    guard !overflows, EpochUnit.century.contains(seconds) else { return nil }
    return CountedTime(
      unit: self, seconds: Double(seconds) + Double(rest) / Double(perSecond),
      text: UTCDate.text(seconds, fraction: rest, digits: digits))
  }

  /// Returns the times that `number` can represent, the likeliest first.
  package static func times(in number: Double) -> [CountedTime] {
    func time(_ unit: EpochUnit, _ seconds: Double) -> CountedTime {
      CountedTime(unit: unit, seconds: seconds, text: UTCDate(seconds).text)
    }
    var times: [CountedTime] = []
    let isRecent = recentSeconds.contains(number)
    if isRecent { times.append(time(.seconds, number)) }
    if recentReferenceSeconds.contains(number), number.rounded() != number {
      times.append(time(.cocoa, number + Double(EpochUnit.cocoa.start)))
    }
    if !isRecent, dateSeconds.contains(number) { times.append(time(.seconds, number)) }
    if let whole = Int64(exactly: number), let exact = EpochUnit.milliseconds.time(whole) {
      times.append(exact)
    }
    return times
  }
}
