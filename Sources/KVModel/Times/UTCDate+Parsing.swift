extension UTCDate {
  /// Returns the seconds since 1970 of `text`: a number of seconds, or an ISO 8601 date, alone or with
  /// a time, such as `2026-01-31`, `2026-01-31T12:00Z` or `2026-01-31T12:00:00+01:00`; `nil` if it is
  /// neither.
  ///
  /// A fraction of a second is cut off. Without an offset, the time is in UTC; a date alone is the
  /// start of the day.
  package static func seconds(parsing text: String) -> Int64? {
    if let seconds = Int64(text) { return seconds }
    var rest = Substring(text)
    guard let year = number(4, from: &rest), take("-", from: &rest),
      let month = number(2, from: &rest), take("-", from: &rest),
      let day = number(2, from: &rest), let days = self.days(year, month, day)
    else { return nil }
    let midnight = days * 86_400
    if rest.isEmpty { return midnight }
    guard take("T", from: &rest) || take("t", from: &rest) || take(" ", from: &rest),
      let time = timeOfDay(from: &rest), let offset = offset(from: &rest), rest.isEmpty
    else { return nil }
    return midnight + time - offset
  }

  /// Returns the number of days from January 1, 1970, to a date; `nil` if there is no such date.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64? {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard year >= 1, (1...12).contains(month), (1...lengths[Int(month) - 1]).contains(day) else {
      return nil
    }
    let before = year - 1
    return before * 365 + before / 4 - before / 100 + before / 400
      + lengths.prefix(Int(month) - 1).reduce(0, +) + day - 1 - 719_162
  }

  /// Takes hours, minutes and perhaps seconds from `text`, and returns them in seconds.
  private static func timeOfDay(from text: inout Substring) -> Int64? {
    guard let hour = number(2, from: &text), hour < 24, take(":", from: &text),
      let minute = number(2, from: &text), minute < 60
    else { return nil }
    guard take(":", from: &text) else { return hour * 3600 + minute * 60 }
    // The second 60 is a leap second.
    guard let second = number(2, from: &text), second <= 60 else { return nil }
    if take(".", from: &text) || take(",", from: &text) {
      let digits = text.prefix { $0.isASCII && $0.isNumber }
      guard !digits.isEmpty else { return nil }
      text = text[digits.endIndex...]
    }
    return hour * 3600 + minute * 60 + second
  }

  /// Takes the offset from UTC from `text`, and returns it in seconds; 0 if there is none.
  private static func offset(from text: inout Substring) -> Int64? {
    if text.isEmpty || take("Z", from: &text) || take("z", from: &text) { return 0 }
    let isNegative = take("-", from: &text)
    guard isNegative || take("+", from: &text), let hours = number(2, from: &text), hours < 24
    else { return nil }
    _ = take(":", from: &text)
    guard let minutes = text.isEmpty ? 0 : number(2, from: &text), minutes < 60 else { return nil }
    let offset = hours * 3600 + minutes * 60
    return isNegative ? -offset : offset
  }

  /// Takes `character` from the start of `text`, and returns whether it was there.
  private static func take(_ character: Character, from text: inout Substring) -> Bool {
    guard text.first == character else { return false }
    text.removeFirst()
    return true
  }

  /// Takes a number of `count` digits from the start of `text`.
  private static func number(_ count: Int, from text: inout Substring) -> Int64? {
    let digits = text.prefix(count)
    guard digits.utf8.count == count, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    text.removeFirst(count)
    return Int64(digits)
  }
}
