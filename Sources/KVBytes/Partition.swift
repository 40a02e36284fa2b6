extension RandomAccessCollection {
  /// Returns the index of the first element for which `isAfter` holds, as it does for all elements after
  /// that one; `endIndex` if there is none.
  ///
  /// - Complexity: O(log `count`).
  @inlinable package func partitioningIndex(where isAfter: (Element) -> Bool) -> Index {
    var low = startIndex
    var count = self.count
    while count > 0 {
      let half = count / 2
      let middle = index(low, offsetBy: half)
      if isAfter(self[middle]) {
        count = half
      } else {
        low = index(after: middle)
        count -= half + 1
      }
    }
    return low
  }
}
