package import KVModel

/// The weights behind the probability of one entry, in bits.
package struct Weighing: Sendable {
  /// One reason for or against a condition.
  package struct Reason: Sendable {
    /// The question or the rule.
    package let name: String
    /// The answer to the question; `nil` for a rule.
    package let answer: String?
    /// The weight, in bits.
    package let bits: Double
    /// The weight in hundredths of a bit, rounded.
    package var hundredths: Int { Int((bits * 100).rounded()) }
  }

  private let answers: [(witness: Witness, answer: Int)]
  private let rules: [RuleID]
  private let entryWeights: EntryWeights

  /// Creates the weighing of an entry with these `answers` and these `rules` behind it.
  init(
    _ answers: [(witness: Witness, answer: Int)], _ rules: [RuleID], by entryWeights: EntryWeights
  ) {
    self.answers = answers
    self.rules = rules
    self.entryWeights = entryWeights
  }

  /// The probability of the entry.
  var probability: Probability {
    var product = 1.0
    for condition in Condition.allCases { product *= value(of: condition) }
    return Probability(product)
  }

  /// Returns the probability that `condition` holds.
  package func probability(of condition: Condition) -> Probability {
    Probability(value(of: condition))
  }

  func value(of condition: Condition) -> Double { Self.share(ofBits: bits(of: condition)) }

  /// Returns 1 / (1 + 2^−`bits`), the same on every machine.
  package static func share(ofBits bits: Double) -> Double {
    let exponent = max(-60, min(60, -bits))
    let whole = exponent.rounded(.down)
    // 2^x for x from 0 to 1, by the series of the exponential function.
    let x = (exponent - whole) * 0.693_147_180_559_945_3
    var term = 1.0
    var sum = 1.0
    for step in 1...16 {
      term *= x / Double(step)
      sum += term
    }
    return 1 / (1 + Double(sign: .plus, exponent: Int(whole), significand: sum))
  }

  private func bits(of condition: Condition) -> Double {
    let weights = entryWeights[condition]
    return Self.bits(weights, weights.bits(of: rules), answers)
  }

  /// Returns the sum of `start`, which is the base with the bits of the rules, and the bits of `answers`.
  static func bits(
    _ weights: EntryWeights.Weights, _ start: Double, _ answers: [(witness: Witness, answer: Int)]
  ) -> Double {
    var sum = start
    for (witness, answer) in answers { sum += weights.bits(of: answer, to: witness) }
    return sum
  }

  /// Returns the reasons for and against `condition`: the base, then every answer and rule.
  ///
  /// Those without weight are included, so that weights can be fitted to what is stated.
  package func reasons(for condition: Condition) -> [Reason] {
    let weights = entryWeights[condition]
    return [Reason(name: "base", answer: nil, bits: weights.base)]
      + answers.filter { $0.witness.conditions.contains(condition) }.map { witness, answer in
        Reason(
          name: witness.name, answer: witness.answers[answer],
          bits: weights.bits(of: answer, to: witness))
      }
      + rules.map { Reason(name: $0.text, answer: nil, bits: weights.rules[$0] ?? 0) }
  }
}
