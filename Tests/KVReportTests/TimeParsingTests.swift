import KVModel
import Testing

/// Times as people give them.
struct TimeParsingTests {
  @Test func secondsAndDatesAreTimes() {
    let times: [(String, Int64)] = [
      ("0", 0), ("1760000000", 1_760_000_000), ("-1", -1), ("1970-01-01", 0),
      ("2000-02-29", 951_782_400), ("2026-01-31", 1_769_817_600),
      ("2026-01-31T12:00:00Z", 1_769_860_800), ("2026-01-31t12:00:00z", 1_769_860_800),
      ("2026-01-31 12:00", 1_769_860_800), ("2026-01-31T12:00:00", 1_769_860_800),
      ("2026-01-31T13:00:00+01:00", 1_769_860_800), ("2026-01-31T06:30-0530", 1_769_860_800),
      ("2026-01-31T02:00:00.999-10", 1_769_860_800), ("1969-12-31T23:59:60Z", 0),
      ("0001-01-01", -62_135_596_800), ("9999-12-31T23:59:59Z", 253_402_300_799),
    ]
    for (text, seconds) in times { #expect(UTCDate.seconds(parsing: text) == seconds, "\(text)") }
  }

  @Test(arguments: [
    "", "now", "1e9", "2026-", "2026-1-31", "2026-02-29", "1900-02-29", "2026-13-01", "2026-00-01",
    "2026-01-32", "0000-01-01", "2026-01-31T", "2026-01-31Z", "2026-01-31T12", "2026-01-31T24:00",
    "2026-01-31T12:60", "2026-01-31T12:00:61", "2026-01-31T12:00:00.", "2026-01-31T12:00:00+",
    "2026-01-31T12:00:00+1", "2026-01-31T12:00:00+24:00", "2026-01-31T12:00:00+01:60",
    "2026-01-31T12:00:00Zulu", " 2026-01-31", "99999999999999999999", "２026-01-31",
  ])
  func anythingElseIsNone(text: String) { #expect(UTCDate.seconds(parsing: text) == nil) }

  @Test func theTextOfATimeIsThatTime() {
    // Each day of the year and many times of the day, in the years 1 to 9999, which have four digits.
    for seconds in stride(from: Int64(-62_135_596_800), to: 253_402_300_800, by: 86_399_777) {
      #expect(UTCDate.seconds(parsing: UTCDate.text(seconds)) == seconds)
    }
  }
}
