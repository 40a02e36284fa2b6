import ArgumentParser
import KVModel

/// The options for how likely an entry must be right to be kept.
struct ConfidenceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Keep entries that are at least this likely to be right; the default is 0.5.",
      valueName: "probability"), transform: Self.parse)
  var minConfidence: Probability?

  @Flag(help: "Keep all entries, however unlikely: the same as --min-confidence 0.")
  var includeGuesses = false

  /// The probability from which an entry is kept.
  var least: Probability {
    minConfidence ?? (includeGuesses ? Probability(0) : .evenOdds)
  }

  /// Whether one of the options is given.
  var isGiven: Bool { minConfidence != nil || includeGuesses }

  /// The name of the option that is given.
  var name: String { minConfidence == nil ? "--include-guesses" : "--min-confidence" }

  func validate() throws {
    if minConfidence != nil, includeGuesses {
      throw ValidationError("Give either --min-confidence or --include-guesses.")
    }
  }

  /// Returns the probability that `text` states, from 0 to 1.
  static func parse(_ text: String) throws -> Probability {
    guard let value = Double(text), value >= 0, value <= 1 else {
      throw ValidationError("'\(text)' is not a number from 0 to 1.")
    }
    return Probability(value)
  }
}
