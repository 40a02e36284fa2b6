import KVModel
import KVRecovery

/// What the probability of an entry results from, as lines of text.
struct WeighingText {
  /// A line for each condition, and below it those of its reasons that have a weight.
  let lines: [String]

  init(_ weighing: Weighing) {
    lines = Condition.allCases.flatMap { condition in
      ["    \(weighing.probability(of: condition).text)  \(condition.meaning)"]
        + weighing.reasons(for: condition).filter { $0.hundredths != 0 }.map { reason in
          let name = reason.answer.map { "\(reason.name): \($0)" } ?? reason.name
          return "      \(reason.text)  \(name)"
        }
    }
  }
}

extension Condition {
  /// What the condition says, for people.
  fileprivate var meaning: String {
    switch self {
    case .record: "there was such a record"
    case .unchanged: "its bytes are unchanged"
    case .newest: "no newer record of its key is missing"
    }
  }
}

extension Weighing.Reason {
  /// The weight with its sign and two digits: `+1.25`.
  fileprivate var text: String {
    let size = abs(hundredths)
    let digits = size % 100 < 10 ? "0\(size % 100)" : "\(size % 100)"
    return "\(hundredths < 0 ? "−" : "+")\(size / 100).\(digits) bits"
  }
}
