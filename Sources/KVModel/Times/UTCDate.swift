/// A point in time, formatted as ISO 8601 in UTC.
package struct UTCDate {
  /// The seconds since 1970 that can be formatted as a date: those of the years −9999 to 9999.
  ///
  /// The year before year 1 is year 0, as in ISO 8601. macOS writes dates of that year.
  package static let range: ClosedRange<Int64> = -377_705_116_800...253_402_300_799

  private static let secondsPerDay: Int64 = 86_400

  private let seconds: Double

  /// Creates the time `seconds` after the start of 1970.
  package init(_ seconds: Double) { self.seconds = seconds }

  /// Whether the time is in ``range``.
  package var isInRange: Bool { whole != nil }

  /// The whole seconds; `nil` outside ``range``.
  private var whole: Int64? {
    Int64(exactly: seconds.rounded(.down)).flatMap { UTCDate.range.contains($0) ? $0 : nil }
  }

  /// The date and the time, with up to six fractional digits of a second.
  ///
  /// Outside ``range``, it is the number of seconds.
  package var text: String {
    guard let whole else { return seconds.digits }
    // For times in this century, a double is precise to about this many digits.
    let millionths = ((seconds - Double(whole)) * 1_000_000).rounded()
    return UTCDate.text(whole, fraction: min(Int64(millionths), 999_999), digits: 6)
  }

  /// Returns the text of the time `seconds` after the start of 1970, and of `fraction`, a number of
  /// `digits` decimal digits.
  ///
  /// Trailing zeros of the fraction are left out.
  ///
  /// - Precondition: `seconds` is in ``range``.
  package static func text(_ seconds: Int64, fraction: Int64 = 0, digits: Int = 0) -> String {
    precondition(range.contains(seconds))
    let second = ((seconds % secondsPerDay) + secondsPerDay) % secondsPerDay
    var text =
      date(onDay: (seconds - second) / secondsPerDay)
      + "T\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
    if fraction > 0 {
      text += "." + padded(fraction, digits)
      while text.last == "0" { text.removeLast() }
    }
    return text + "Z"
  }

  private static func date(onDay day: Int64) -> String {
    let (year, month, day) = Self.date(ofDay: day)
    return (year < 0 ? "-" : "")
      + "\(padded(Int64(year.magnitude), 4))-\(padded(month, 2))-\(padded(day, 2))"
  }

  /// Returns the date of a day, counted from January 1, 1970.
  ///
  /// - Precondition: `day` is less than 2^60 days away.
  package static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    // Howard Hinnant's civil_from_days: years begin in March, so that a leap day is the last day.
    let day = day + 719_468
    let era = (day >= 0 ? day : day - 146_096) / 146_097
    let dayOfEra = day - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }

  /// Returns the day of a date, counted from January 1, 1970: the inverse of ``date(ofDay:)``.
  ///
  /// - Precondition: `year` has at most 16 digits, and `month` is from 1 to 12.
  package static func day(ofYear year: Int64, month: Int64, day: Int64) -> Int64 {
    let marchYear = month <= 2 ? year - 1 : year
    let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// Returns the digits of a number, with zeros before them up to `count` digits.
  package static func padded(_ number: Int64, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
  }
}
