import KVBytes

/// Ranges of bytes, in ascending order and without overlap.
struct ByteRanges: Hashable {
  /// The ranges.
  let all: [Range<Int>]

  /// Creates the union of `ranges`.
  init(_ ranges: some Sequence<Range<Int>>) {
    var all: [Range<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = all.last, range.lowerBound <= last.upperBound {
        all[all.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        all.append(range)
      }
    }
    self.all = all
  }

  /// Returns whether a range lies in `range` at least in part, or begins where `range` ends.
  ///
  /// - Complexity: O(log `all.count`).
  func touch(_ range: Range<Int>) -> Bool { index(touching: range) != nil }

  /// Returns the index of the first range that lies in `range` at least in part, or begins where
  /// `range` ends; `nil` if there is none.
  ///
  /// - Complexity: O(log `all.count`).
  func index(touching range: Range<Int>) -> Int? {
    let index = all.partitioningIndex { $0.upperBound > range.lowerBound }
    return index < all.count && all[index].lowerBound <= range.upperBound ? index : nil
  }
}
