/// A point in time, formatted as ISO 8601 in UTC.
package struct UTCDate {
  /// The seconds since 1970 that can be formatted as a date: those of the years 1 to 9999.
  package static let range: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

  private static let secondsPerDay: Int64 = 86_400

  private let seconds: Double

  /// Creates the time `seconds` after the start of 1970.
  package init(_ seconds: Double) { self.seconds = seconds }

  /// The date and the time, with up to six fractional digits of a second.
  ///
  /// Outside the years 1 to 9999, it is the number of seconds.
  package var text: String {
    guard let whole = Int64(exactly: seconds.rounded(.down)), UTCDate.range.contains(whole) else {
      return "\(seconds)"
    }
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

  /// Returns the date of a day, counted from January 1, 1970.
  private static func date(onDay day: Int64) -> String {
    // Howard Hinnant's civil_from_days: years begin in March, so that a leap day is the last day.
    let day = day + 719_468
    let era = day / 146_097
    let dayOfEra = day - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))"
  }

  private static func padded(_ number: Int64, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
  }
}
