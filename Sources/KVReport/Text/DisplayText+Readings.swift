import KVBytes
import KVConversion
import KVModel

extension DisplayText {
  /// The size, in bytes, above which readings are made only of the beginning, as a line shows less.
  private static let longCount = 1 << 12

  /// Returns the readings of the value of `record` that a line shows: those that are useful to a
  /// person.
  ///
  /// They take little memory, however long the value is.
  static func readings<S: Store>(
    of record: Record, in store: S, by typing: StoreTyping
  ) -> [Reading] {
    var weighed = WeighedValues()
    return readings(of: record, in: store, by: typing, &weighed)
  }

  /// Returns the same for one of many records; `weighed` are the values weighed for those before.
  static func readings<S: Store>(
    of record: Record, in store: S, by typing: StoreTyping, _ weighed: inout WeighedValues
  ) -> [Reading] {
    telling(all(of: record, in: store, by: typing, &weighed))
  }

  /// Returns the value of `record` in words: the likeliest reading, and others according to
  /// `detail`.
  static func value<S: Store>(
    of record: Record, in store: S, by typing: StoreTyping, _ detail: ValueDetail
  ) -> String {
    var weighed = WeighedValues()
    let readings = all(of: record, in: store, by: typing, &weighed)
    let chosen =
      switch detail.readings {
      case .best: Array(readings.prefix(1))
      case .all: readings
      case nil: telling(readings)
      }
    let first =
      (detail.isWhole
        ? value(store.whole(chosen[0], of: record), limit: .max) : value(chosen[0]))
      + contents(detail.document(of: chosen[0], in: record, of: store), isWhole: detail.isWhole)
    let shown = chosen.dropFirst().prefix(detail.readings == nil ? 1 : .max)
    let text = ([first] + shown.map { value($0) }).joined(separator: " | ")
    let rest = chosen.count - 1 - shown.count
    return rest > 0 ? text + " | \(rest.grouped) more" : text
  }

  /// Returns the value of an entry whose format stores types, in words.
  static func value(_ entry: TypedEntry, _ detail: ValueDetail) -> String {
    value(entry.value, limit: detail.isWhole ? .max : 60)
      + contents(detail.content(entry.value), isWhole: detail.isWhole)
  }

  private static func all<S: Store>(
    of record: Record, in store: S, by typing: StoreTyping, _ weighed: inout WeighedValues
  ) -> [Reading] {
    typing.readings(
      of: record, in: store, keeping: record.value.count > longCount ? longCount : .max, &weighed)
  }

  /// Returns the readings that are useful to a person.
  ///
  /// These are the likeliest and the others, except for the bytes of what can be read as text, its
  /// characters as a list of numbers, and the text of JSON once more.
  private static func telling(_ readings: [Reading]) -> [Reading] {
    let hasText = readings.contains { reading in
      switch reading.value {
      case .string, .json: true
      default: false
      }
    }
    guard hasText else { return readings }
    return readings.prefix(1)
      + readings.dropFirst().filter { reading in
        switch reading.value {
        case .bytes, .json: false
        case .list(.string): true
        case .list: false
        default: true
        }
      }
  }
}
