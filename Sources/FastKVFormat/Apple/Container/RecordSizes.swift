/// The sizes of a store's records, which tell how likely it is that records of different logs begin
/// at the same offset.
struct RecordSizes {
  /// The divisor of all sizes from which leftovers often begin where a record of the log ends.
  static let leastDivisor = 4
  /// The same for a single record with a key of the log.
  static let leastDivisorOfOne = 3
  /// The odds from which they often do: of 5,400 healthy stores, 13 are called damaged with one in
  /// four, 25 if the odds do not count, and 5 with one in eight, which takes a fifth of the stores
  /// with an older header for healthy ones.
  static let leastOdds = 0.25
  /// The most offsets at which records may begin that are looked at.
  private static let offsetLimit = 16 << 10
  /// The most sizes that are told apart.
  private static let sizeLimit = 64

  /// The greatest common divisor of the sizes: the larger it is, the likelier it is that leftovers
  /// of any age begin where a record of the log ends.
  private(set) var divisor = 0
  private var counts: [Int: Int] = [:]
  private var total = 0
  private var sum = 0

  /// Adds a record of `size` bytes.
  mutating func add(_ size: Int) {
    divisor = Self.divisor(of: divisor, size)
    total += 1
    sum += size
    if counts.count < Self.sizeLimit || counts[size] != nil { counts[size, default: 0] += 1 }
  }

  /// Returns the odds that a log of records of these sizes, in any order, has one that begins
  /// `offset` bytes after its start.
  ///
  /// - Complexity: O(`offset` · count of sizes), both limited.
  func meetingOdds(at offset: Int) -> Double {
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

  private static func divisor(of one: Int, _ other: Int) -> Int {
    one == 0 ? other : divisor(of: other % one, one)
  }
}
