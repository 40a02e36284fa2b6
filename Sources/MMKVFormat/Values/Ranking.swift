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

  private var candidates: [(likelihood: Likelihood, reading: Reading)] = []

  /// Whether nothing was added.
  var isEmpty: Bool { candidates.isEmpty }

  /// The readings, likeliest first.
  var readings: [Reading] {
    Likelihood.allCases.flatMap { step in
      candidates.lazy.filter { $0.likelihood == step }.map(\.reading)
    }
  }

  /// Adds a reading after those of the same likelihood.
  mutating func add(_ value: Value, _ likelihood: Likelihood, because reason: String) {
    candidates.append((likelihood, Reading(value, because: reason)))
  }
}
