extension [UInt8] {
  /// Exchanges the blocks of `count` bytes with the indexes `one` and `other`.
  package mutating func exchangeBlocks(of count: Int, _ one: Int, _ other: Int) {
    let (first, second) = (one * count..<(one + 1) * count, other * count..<(other + 1) * count)
    let (old, new) = (Array(self[first]), Array(self[second]))
    replaceSubrange(first, with: new)
    replaceSubrange(second, with: old)
  }
}
