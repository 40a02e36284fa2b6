import KVBytes
package import KVModel

/// Gaps of one log in file order, none of which overlaps another.
extension [Gap] {
  /// Returns the indices of the gaps that overlap `extent`.
  ///
  /// - Complexity: O(log `count`).
  func indices(overlapping extent: Extent) -> Range<Int> {
    let start = partitioningIndex { $0.extent.end > extent.offset }
    return start..<Swift.max(start, partitioningIndex { $0.extent.offset >= extent.end })
  }

  /// Returns the gaps with `others` in the places of those that they overlap; a later one of `others`
  /// also replaces earlier ones.
  ///
  /// - Complexity: O(`count` + `others.count`) if `others` are in order, as those of one rule are.
  package func overlaid(with others: [Gap]) -> [Gap] {
    guard zip(others, others.dropFirst()).allSatisfy({ $0.extent.end <= $1.extent.offset }) else {
      return others.reduce(self) { $0.overlaid(with: [$1]) }
    }
    var result: [Gap] = []
    result.reserveCapacity(count + others.count)
    var next = 0
    for other in others {
      while next < count, self[next].extent.end <= other.extent.offset {
        result.append(self[next])
        next += 1
      }
      result.append(other)
      while next < count, self[next].extent.offset < other.extent.end { next += 1 }
    }
    return result + self[next...]
  }
}
