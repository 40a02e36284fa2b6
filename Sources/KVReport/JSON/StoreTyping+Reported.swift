import KVConversion
import KVModel

extension StoreTyping {
  /// A value of up to so many bytes is given whole in its likeliest reading, whatever that is.
  private static let shortCount = 1 << 10
  /// So is one of up to so many that is no list; in memory, that takes some twenty times as much.
  private static let wholeCount = 1 << 21
  /// A list of up to so many elements is whole in the likeliest reading of a longer value; one of more
  /// where they have ``elementSize`` bytes on average, for each takes some hundred in a line.
  private static let listCount = 256
  private static let elementSize = 8
  /// Of other readings so many bytes are shown.
  private static let otherCount = 32

  /// What the value of `record` can be, as far as a line or a row has it; `weighed` is what was weighed for
  /// the records before.
  func reported<S: Store>(
    _ record: Record, in store: S, _ weighed: inout WeighedValues
  ) -> [Reading] {
    let count = record.value.count
    let limit = count <= Self.otherCount ? .max : Self.otherCount
    var readings = self.readings(of: record, in: store, keeping: limit, &weighed)
    if count <= Self.wholeCount, let first = readings.first, let elements = first.count,
      count <= Self.shortCount || !Self.hasElements(first.value) || elements <= Self.listCount
        || elements * Self.elementSize <= count
    {
      readings[0] = store.whole(first, of: record)
    }
    return readings
  }

  private static func hasElements(_ value: Value) -> Bool {
    switch value {
    case .list, .set, .array: true
    default: false
    }
  }
}
