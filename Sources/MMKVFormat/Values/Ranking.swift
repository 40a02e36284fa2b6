import KVModel

/// The readings of one value, likeliest first; among equals, in the order in which they were added.
struct Ranking {
  /// The number of bytes of lists, texts and data that are kept.
  let limit: Int
  /// The readings, likeliest first.
  private(set) var readings: [Reading] = []

  /// Creates an empty ranking of readings that keep at most the first `limit` bytes.
  init(keeping limit: Int) {
    self.limit = limit
    readings.reserveCapacity(Self.usualCount)
  }

  /// The number of readings that few values exceed.
  private static let usualCount = 4

  /// Whether no reading was added.
  var isEmpty: Bool { readings.isEmpty }

  /// Adds a reading after those of the same likelihood.
  ///
  /// `count` is the size of the whole, if `value` has only its beginning.
  mutating func add(
    _ value: Value, count: Int? = nil, _ likelihood: Likelihood, because reason: String
  ) {
    let reading = Reading(value, count: count, likelihood, because: reason)
    guard let next = readings.firstIndex(where: { $0.likelihood > likelihood }) else {
      readings.append(reading)
      return
    }
    readings.insert(reading, at: next)
  }

  /// Adds a list of `count` elements, of which `list` has the first ones.
  mutating func add(
    _ list: Value.List, of count: Int, _ likelihood: Likelihood, because reason: String
  ) {
    add(.list(list), count: list.count < count ? count : nil, likelihood, because: reason)
  }
}
