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

  /// Returns the time of `text` in seconds since 1970, and whether there is such a date; `nil` if
  /// `text` is not a date.
  ///
  /// CoreFoundation also reads a month, a day or a time that does not exist: it counts on from those
  /// that do, but takes a month after the thirteenth for January. No writer produces one.
  static func seconds(_ text: String) -> (value: Double, exists: Bool)? {
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
    let first =
      month == 13
      ? UTCDate.day(ofYear: year + 1, month: 1, day: 1)
      : UTCDate.day(ofYear: year, month: (1...12).contains(month) ? month : 1, day: 1)
    let days = first + day - 1
    // A second 60 is a leap second.
    let exists =
      (1...12).contains(month) && UTCDate.date(ofDay: days).day == day && hour < 24 && minute < 60
      && second <= 60
    return (
      Double(days) * secondsPerDay + Double(hour * 3600 + minute * 60 + second), exists
    )
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
