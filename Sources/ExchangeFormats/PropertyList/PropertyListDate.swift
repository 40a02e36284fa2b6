import KVBytes
import KVModel

/// Dates in XML property lists: `2001-01-01T00:00:00Z`.
///
/// CoreFoundation writes the year as `%04d`: `0000` for the year before year 1, which `distantPast`
/// is in, then `-001`, and more than four digits after the year 9999.
///
/// Reference: `_CFAppendXML0` and `parseDateTag` of CoreFoundation.
enum PropertyListDate {
  private static let secondsPerDay = 86_400.0

  /// Returns the time of `text` in seconds since 1970, or `nil` if `text` is not a date.
  ///
  /// CoreFoundation also reads a month or a day that does not exist. No writer produces one, so it
  /// is a damaged date. A second 60 is a leap second.
  static func seconds(_ text: String) -> Double? {
    let isNegative = text.utf8.first == UInt8(ascii: "-")
    let digits = isNegative ? text.dropFirst() : text[...]
    guard let dash = digits.utf8.firstIndex(of: UInt8(ascii: "-")),
      let yearNumber = Int32(digits: digits[..<dash], radix: 10)
    else { return nil }
    let year = Int64(isNegative ? -yearNumber : yearNumber)
    let rest = Array(digits[dash...].utf8)
    let form = Array("-00-00T00:00:00Z".utf8)
    guard rest.count == form.count else { return nil }
    for (byte, expected) in zip(rest, form) {
      let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      guard expected == UInt8(ascii: "0") ? isDigit : byte == expected else { return nil }
    }
    func number(at index: Int) -> Int64 {
      rest[index..<(index + 2)].reduce(0) { 10 * $0 + Int64($1 - UInt8(ascii: "0")) }
    }
    let (month, day) = (number(at: 1), number(at: 4))
    let (hour, minute, second) = (number(at: 7), number(at: 10), number(at: 13))
    guard (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
    else { return nil }
    let days = UTCDate.day(ofYear: year, month: month, day: day)
    // Without this check, a day that the month does not have would become a day of the next month.
    guard UTCDate.date(ofDay: days).day == day else { return nil }
    return Double(days) * secondsPerDay + Double(hour * 3600 + minute * 60 + second)
  }

  /// Returns the text of the time `seconds` after the start of 1970, in whole seconds; `nil` if its
  /// year does not fit in 32 bits.
  static func text(_ seconds: Double) -> String? {
    let dayNumber = (seconds / secondsPerDay).rounded(.down)
    guard abs(dayNumber) < 1e12, let day = Int64(exactly: dayNumber),
      let second = Int64(exactly: (seconds - dayNumber * secondsPerDay).rounded(.down))
    else { return nil }
    let date = UTCDate.date(ofDay: day)
    guard let year = Int32(exactly: date.year) else { return nil }
    func two(_ number: Int64) -> String { UTCDate.padded(number, 2) }
    let digits = UTCDate.padded(Int64(year.magnitude), year < 0 ? 3 : 4)
    return (year < 0 ? "-" : "") + "\(digits)-\(two(date.month))-\(two(date.day))"
      + "T\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))Z"
  }
}
