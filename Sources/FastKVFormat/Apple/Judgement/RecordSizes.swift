/// The sizes of records, which tell how likely it is that one of another log begins at an offset.
struct RecordSizes {
  /// The most bytes after the start of a log for which the odds are computed.
  private static let offsetLimit = 16 << 10
  /// The most sizes that are told apart.
  private static let sizeLimit = 64

  private var divisor = 0
  private var counts: [Int: Int] = [:]
  private var total = 0
  private var sum = 0

  /// Adds a record of `size` bytes.
  mutating func add(_ size: Int) {
    var rest = size
    while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
    total += 1
    sum += size
    if counts.count < Self.sizeLimit || counts[size] != nil { counts[size, default: 0] += 1 }
  }

  /// Returns the odds that a log of records of these sizes, in any order, has one that begins
  /// `offset` bytes after its start.
  ///
  /// - Complexity: O(`offset` · count of sizes), both limited.
  func odds(at offset: Int) -> Double {
    guard total > 0 else { return 0 }
    if offset > Self.offsetLimit { return Double(divisor * total) / Double(sum) }
    let shares = counts.map { ($0.key, Double($0.value) / Double(total)) }
    var odds = [Double](repeating: 0, count: offset + 1)
    odds[0] = 1
    for place in stride(from: divisor, through: offset, by: divisor) {
      for (size, share) in shares where size <= place { odds[place] += odds[place - size] * share }
    }
    return odds[offset]
  }
}
