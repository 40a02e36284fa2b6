import KVModel

/// Dates in XML property lists: `2001-01-01T00:00:00Z`.
enum PropertyListDate {
  /// Returns the time of `text` in seconds since 1970, or `nil` if `text` is not a date.
  static func seconds(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    let form = Array("0000-00-00T00:00:00Z".utf8)
    guard bytes.count == form.count else { return nil }
    for (byte, expected) in zip(bytes, form) {
      let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      guard expected == UInt8(ascii: "0") ? isDigit : byte == expected else { return nil }
    }
    func number(_ range: Range<Int>) -> Int64 {
      bytes[range].reduce(0) { 10 * $0 + Int64($1 - UInt8(ascii: "0")) }
    }
    let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
    let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
    guard (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60
    else { return nil }
    let marchYear = month <= 2 ? year - 1 : year
    let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let days = era * 146_097 + dayOfEra - 719_468
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second
    // Without this check, a day that the month does not have would become a day of the next month.
    guard UTCDate.range.contains(seconds), UTCDate.text(seconds) == text else { return nil }
    return seconds
  }
}
