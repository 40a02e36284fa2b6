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
    let readings = all(of: record, in: store, by: typing, &weighed)
    return readings.prefix(1) + tellingIndices(readings).map { readings[$0] }
  }

  /// Returns the value of `record` in words: the likeliest reading, and others according to
  /// `detail`; `weighed` are the values weighed for the records before.
  static func value<S: Store>(
    of record: Record, in store: S, by typing: StoreTyping, _ detail: ValueDetail,
    _ weighed: inout WeighedValues
  ) -> String {
    let readings = all(of: record, in: store, by: typing, &weighed)
    var text =
      detail.isWhole
      ? value(store.whole(readings[0], of: record), limit: .max) : value(readings[0])
    if let document = detail.document(of: readings[0], in: record, of: store) {
      text += contents(document, isWhole: detail.isWhole)
    }
    let others =
      switch detail.readings {
      case .best: [Int]()
      case .all: Array(readings.indices.dropFirst())
      case nil: tellingIndices(readings)
      }
    let shown = others.prefix(detail.readings == nil ? 1 : .max)
    for index in shown { text += " | " + value(readings[index]) }
    let rest = others.count - shown.count
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

  /// Returns the indices of the readings after the likeliest that are useful to a person.
  ///
  /// These are all, except for the bytes of what can be read as text, its characters as a list of
  /// numbers, and the text of JSON once more.
  private static func tellingIndices(_ readings: [Reading]) -> [Int] {
    // By index, as an iterator would copy each reading.
    let hasText = readings.indices.contains { isText(readings[$0].value) }
    return readings.indices.dropFirst().filter { !hasText || addsToText(readings[$0].value) }
  }

  private static func isText(_ value: Value) -> Bool {
    switch value {
    case .string, .json: true
    default: false
    }
  }

  private static func addsToText(_ value: Value) -> Bool {
    switch value {
    case .bytes, .json: false
    case .list(.string): true
    case .list: false
    default: true
    }
  }
}
