/// A count of time, as programs keep it in a number: a unit, and a moment that it counts from.
///
/// The numbers of one century do not overlap: seconds since 1970 have 9 or 10 digits, each further unit
/// has three more, and the counts from 1601 lie between those.
struct EpochUnit {
  /// What is counted, for people, such as "seconds since 1970".
  let name: String
  /// How many of the unit a second has.
  private let perSecond: Int64
  /// Seconds from the moment that is counted from to 1970.
  private let offset: Int64

  /// Milliseconds since 1970, as Java and JavaScript count.
  static let milliseconds = EpochUnit("milliseconds since 1970", 1_000)

  /// The counts that programs keep in integers.
  static let all = [
    EpochUnit("seconds since 1970", 1), milliseconds,
    EpochUnit("microseconds since 1970", 1_000_000),
    EpochUnit("nanoseconds since 1970", 1_000_000_000),
    EpochUnit("microseconds since 1601 (WebKit)", 1_000_000, secondsFrom1601),
    EpochUnit("tenths of microseconds since 1601 (FILETIME)", 10_000_000, secondsFrom1601),
  ]

  /// Times from 1990 to 2099, in seconds.
  static let dateSeconds = 631_152_000.0..<4_102_444_800.0

  /// Times from September 2001, when there were ten digits, to 2039, in seconds.
  static let recentSeconds = 1_000_000_000.0..<2_208_988_800.0

  /// Times from 2011 to 2040, in seconds since 2001.
  static let recentReferenceSeconds = 315_532_800.0..<1_262_304_000.0

  /// Seconds from 1970 to 2001, from which Cocoa counts.
  static let secondsTo2001 = 978_307_200.0

  /// Seconds from 1601, from which Windows counts, to 1970.
  private static let secondsFrom1601: Int64 = 11_644_473_600

  /// Times from 2000 to 2099, in whole seconds.
  private static let century: Range<Int64> = 946_684_800..<4_102_444_800

  private init(_ name: String, _ perSecond: Int64, _ offset: Int64 = 0) {
    self.name = name
    self.perSecond = perSecond
    self.offset = offset
  }

  /// `count` of this unit in seconds since 1970, if that is a time from 2000 to 2099.
  func seconds(_ count: Int64) -> Double? {
    let (whole, rest) = count.quotientAndRemainder(dividingBy: perSecond)
    let (seconds, overflows) = whole.subtractingReportingOverflow(offset)
    guard !overflows, Self.century.contains(seconds) else { return nil }
    return Double(seconds) + Double(rest) / Double(perSecond)
  }
}
