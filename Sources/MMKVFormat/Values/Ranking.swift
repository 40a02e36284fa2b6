import KVModel

/// Readings of one value, in the order of how likely they are.
struct Ranking {
  /// How much speaks for a reading.
  ///
  /// Five steps and not a number, because nobody knows the true frequencies: a step says only what
  /// kind of evidence there is. Within a step the order of adding decides.
  enum Likelihood: Int, CaseIterable {
    /// Next to nothing else has these bytes.
    case compelling
    /// The content is what the type usually holds.
    case likely
    /// The type fits and nothing speaks against it.
    case plausible
    /// The type fits, but others explain the bytes better.
    case possible
    /// The type fits any bytes of this count, and the content is odd for it.
    case remote
  }

  /// How many bytes of lists, texts and data are kept.
  let limit: Int
  private var candidates: [(likelihood: Likelihood, reading: Reading)] = []

  /// An empty ranking, of readings that keep no more than the first `limit` bytes.
  init(keeping limit: Int) { self.limit = limit }

  /// Whether nothing was added.
  var isEmpty: Bool { candidates.isEmpty }

  /// The readings, likeliest first.
  var readings: [Reading] {
    Likelihood.allCases.flatMap { step in
      candidates.lazy.filter { $0.likelihood == step }.map(\.reading)
    }
  }

  /// Adds a reading after those of the same likelihood.
  ///
  /// `count` is that of the whole, where `value` has only its beginning.
  mutating func add(
    _ value: Value, count: Int? = nil, _ likelihood: Likelihood, because reason: String
  ) {
    candidates.append((likelihood, Reading(value, count: count, because: reason)))
  }

  /// Adds a list that has `count` elements, of which `list` has the first.
  mutating func add(
    _ list: Value.List, of count: Int, _ likelihood: Likelihood, because reason: String
  ) {
    add(.list(list), count: list.count < count ? count : nil, likelihood, because: reason)
  }
}
