import KVConversion
import KVModel

extension StoreTyping {
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

  /// Returns the readings of the value of `record`, as far as a line or a row shows `all` of them,
  /// or only the likeliest, and whether the first is the only one.
  ///
  /// `weighed` are the values weighed for the records before.
  func reported<S: Store>(
    _ record: Record, in store: S, all: Bool = true, _ weighed: inout WeighedValues
  ) -> (readings: [Reading], isOnly: Bool) {
    let count = record.value.count
    let limit = count <= Self.otherCount ? .max : Self.otherCount
    weigh(record, in: store, keeping: limit, &weighed)
    let isOnly = weighed.candidates.count == 1
    var readings: [Reading] = []
    // A closure would copy all that was weighed.
    for index in all ? Array(weighed.candidates.indices) : weighed.likeliest {
      readings.append(
        weighed.reading(
          at: index, of: record, in: store,
          keeping: index == 0 && count <= Self.shortCount ? .max : limit))
    }
    if count > Self.shortCount, count <= Self.wholeCount, let elements = readings[0].count,
      !Self.hasElements(readings[0].value) || elements <= Self.listCount
        || elements * Self.elementSize <= count
    {
      readings[0] = weighed.reading(at: 0, of: record, in: store, keeping: .max)
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
