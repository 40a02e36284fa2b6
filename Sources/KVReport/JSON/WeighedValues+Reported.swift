import KVBytes
import KVConversion
import KVModel

extension StoreTyping {
  /// Weighs what the value of `record` can be, as far as a line or a row shows it.
  func weighReported<S: Store>(
    _ record: Record, in store: S, _ weighed: inout WeighedValues
  ) {
    weigh(record, in: store, keeping: WeighedValues.limit(for: record), &weighed)
  }
}

extension WeighedValues {
  /// The size, in bytes, up to which a value is always whole in its likeliest reading.
  private static let shortCount = 1 << 10
  /// The size, in bytes, up to which a value that is not a list is whole; in memory, it takes some
  /// twenty times as much.
  private static let wholeCount = 1 << 21
  /// The number of elements up to which a list is whole in the likeliest reading of a longer value.
  ///
  /// A longer list is whole if its elements have ``elementSize`` bytes on average, as each takes
  /// some hundred in a line.
  private static let listCount = 256
  private static let elementSize = 8
  /// The number of bytes that are shown of other readings.
  private static let otherCount = 32

  fileprivate static func limit(for record: Record) -> Int {
    record.value.count <= otherCount ? .max : otherCount
  }

  /// Returns the bytes of the value of `record`, which was weighed, that are its text; `nil` unless
  /// that is short, of printable ASCII, no document, and the only likely one of several readings.
  func plainText<S: Store>(of record: Record, in store: S) -> Range<Int>? {
    guard record.value.count <= Self.shortCount, weighedKind == .string, candidates.count > 1,
      hasOneLikeliest
    else {
      return nil
    }
    return store.withValue(of: record) { value in
      guard let range = store.textRange(in: value), !range.isEmpty,
        value[range.lowerBound] != UInt8(ascii: "<"), value.extracting(range).isPrintableASCII
      else { return nil }
      return range
    }
  }

  /// Returns the readings of the value of `record`, which was weighed, as far as a line or a row
  /// shows `all` of them, or only the likeliest, and whether the first is the only one.
  func reported<S: Store>(
    _ record: Record, in store: S, all: Bool = true
  ) -> (readings: [Reading], isOnly: Bool) {
    let count = record.value.count
    let limit = Self.limit(for: record)
    let isOnly = candidates.count == 1
    var readings: [Reading] = []
    for index in all ? Array(candidates.indices) : likeliest {
      readings.append(
        reading(
          at: index, of: record, in: store,
          keeping: index == 0 && count <= Self.shortCount ? .max : limit))
    }
    if count > Self.shortCount, count <= Self.wholeCount, let elements = readings[0].count,
      !Self.hasElements(readings[0].value) || elements <= Self.listCount
        || elements * Self.elementSize <= count
    {
      readings[0] = reading(at: 0, of: record, in: store, keeping: .max)
    }
    return (readings, isOnly)
  }

  private static func hasElements(_ value: Value) -> Bool {
    switch value {
    case .list, .set, .array: true
    default: false
    }
  }
}
