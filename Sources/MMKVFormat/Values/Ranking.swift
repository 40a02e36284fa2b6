import KVModel

/// Readings of one value, in the order of how likely they are; within a step, in the order of adding.
struct Ranking {
  /// How many bytes of lists, texts and data are kept.
  let limit: Int
  /// The readings, likeliest first.
  private(set) var readings: [Reading] = []

  /// An empty ranking, of readings that keep no more than the first `limit` bytes.
  init(keeping limit: Int) {
    self.limit = limit
    readings.reserveCapacity(Self.usualCount)
  }

  /// Few values can be more.
  private static let usualCount = 4

  /// Whether nothing was added.
  var isEmpty: Bool { readings.isEmpty }

  /// Adds a reading after those of the same likelihood.
  ///
  /// `count` is that of the whole, where `value` has only its beginning.
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

  /// Adds a list that has `count` elements, of which `list` has the first.
  mutating func add(
    _ list: Value.List, of count: Int, _ likelihood: Likelihood, because reason: String
  ) {
    add(.list(list), count: list.count < count ? count : nil, likelihood, because: reason)
  }
}
