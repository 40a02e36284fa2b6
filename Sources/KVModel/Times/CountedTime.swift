/// The point in time that a number probably represents, judged only by its magnitude.
package struct CountedTime: Sendable {
  /// The unit and epoch of the number.
  package let unit: EpochUnit
  /// The time, in seconds since 1970.
  package let seconds: Double
  /// The time as ISO 8601 in UTC, with as many fractional digits as the number provides.
  package let text: String

  /// Returns the same time, as a count of `unit`.
  package func counted(in unit: EpochUnit) -> CountedTime {
    CountedTime(unit: unit, seconds: seconds, text: text)
  }
}

extension Value {
  /// The time that a date represents, or that an integer or double represents if it is a plausible
  /// time count; `nil` for other values, and for a date outside ``UTCDate/range``.
  package var time: CountedTime? {
    switch self {
    case .date(let seconds):
      UTCDate(seconds).isInRange
        ? CountedTime(unit: .seconds, seconds: seconds, text: UTCDate(seconds).text) : nil
    case .int32(let number): EpochUnit.time(in: Int64(number))
    case .uint32(let number): EpochUnit.time(in: Int64(number))
    case .int64(let number): EpochUnit.time(in: number)
    case .uint64(let number): Int64(exactly: number).flatMap(EpochUnit.time)
    case .double(let number): EpochUnit.units(of: number).first?.time(in: number)
    default: nil
    }
  }
}

extension Value.Kind {
  /// Whether some values of the type are times.
  package var canBeTime: Bool {
    switch self {
    case .date, .int32, .uint32, .int64, .uint64, .double: true
    default: false
    }
  }
}
