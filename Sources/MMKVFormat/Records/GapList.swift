import KVModel

/// Gaps in file order, with those that touch made one.
struct GapList {
  private(set) var list: [Gap] = []

  /// The offset after the last gap.
  var end: Int { list.last?.extent.end ?? 0 }

  /// Adds a gap after the last one.
  mutating func add(_ range: Range<Int>, _ cause: Gap.Cause) {
    guard let last = list.last, last.extent.end == range.lowerBound else {
      list.append(Gap(Extent(.data, range), cause))
      return
    }
    // Of a hole and what it broke, the hole is the cause.
    let joined = last.cause == .zeros || cause == .zeros ? .zeros : last.cause
    list[list.count - 1] = Gap(
      Extent(.data, last.extent.offset..<range.upperBound), joined)
  }
}
