import KVBytes
import KVModel
import KVRecovery

extension TextReporter {
  /// Prints what `engine` does at the next launch: a sentence, or a table if the app's answer
  /// matters.
  func predictions(_ predictions: [EnginePrediction], isAppAsked: Bool, by engine: String) {
    guard let first = predictions.first else { return }
    guard isAppAsked, !first.load.callbacks.isEmpty else {
      return list(predictions, isAppAsked: isAppAsked)
    }
    let handlers = first.load.callbacks.joined(separator: ", ")
    emit("\(handlers) will be called. The result depends on the app's answer:")
    let isVerified = predictions.allSatisfy(\.isHeldVerified)
    var table = Columns(
      [
        "answer", "effect", isVerified ? "right" : "kept", isVerified ? "wrong" : "other",
        "lost",
      ])
    for prediction in predictions {
      let mark = prediction.answer == .discard ? " (\(engine)'s default)" : ""
      table.add([
        prediction.answer.rawValue + mark,
        EngineForecast(prediction, isAppAsked: isAppAsked).shortDeed,
        (prediction.held - prediction.lost).text,
        prediction.unsupportedCount.grouped,
        prediction.lost.text,
      ])
    }
    emit(table)
    if !isVerified, predictions.contains(where: { $0.unsupportedCount > 0 }) {
      emit("other: the value or key differs from that of a repair, which no checksum verifies")
    }
    for prediction in predictions {
      let answer = prediction.answer.rawValue
      consequences(of: prediction, titled: ("with \(answer), it loses", "with \(answer), it "))
      if prediction.expiredCount > 0 {
        emit(
          "with \(answer), the getters return default values for "
            + "\(Plural.count(prediction.expiredCount, "expired entry", "expired entries"))")
      }
    }
  }

  /// Prints different `predictions` one after the other: if the app is not asked, all answers are the
  /// same.
  private func list(_ predictions: [EnginePrediction], isAppAsked: Bool) {
    var told: [EngineLoad] = []
    for prediction in predictions where !told.contains(prediction.load) {
      told.append(prediction.load)
      emit(EngineForecast(prediction, isAppAsked: isAppAsked).text)
      consequences(of: prediction, titled: ("  lost", "  on opening, it "))
    }
  }

  /// Prints the keys that the engine loses, and what it writes.
  private func consequences(
    of prediction: EnginePrediction, titled titles: (lost: String, write: String)
  ) {
    if !prediction.lostKeys.isEmpty {
      let keys = prediction.lostKeys.prefix(TextReporter.listLimit)
        .map { DisplayText.key($0, limit: 30) }
      let rest = prediction.lostKeys.count - keys.count
      emit(
        titles.lost + ": " + keys.joined(separator: ", ")
          + (rest > 0 ? " and \(rest.grouped) more" : ""))
    }
    for write in prediction.load.writes { emit(titles.write + write) }
  }

  /// Prints the states that the files support; `predictions` decide whether the app will see the
  /// current one.
  func states(_ states: [StoreState], _ predictions: [EnginePrediction]) {
    let isSeen = StateName.isCurrentSeen(states, predictions)
    var table = Columns(["state", "name", "entries", "weakest evidence", "log"])
    for state in states {
      table.add([
        state.name.meaning(isSeenByApp: isSeen), state.name.rawValue,
        state.entries.text, state.weakestEvidence.rawValue, state.message,
      ])
    }
    emit(table)
  }
}

extension StateName {
  /// Returns whether the app will have the current one of `states`, by `predictions`.
  static func isCurrentSeen(_ states: [StoreState], _ predictions: [EnginePrediction]) -> Bool {
    !predictions.isEmpty
      && predictions.allSatisfy { $0.lostKeys.isEmpty && $0.unsupportedCount == 0 }
      // The predictions refer to the best state, which is the salvaged one if there is one.
      && !states.contains { $0.name == .salvaged }
  }

  /// Returns the meaning of the state; `isSeenByApp` tells whether the app will have the current
  /// one.
  func meaning(isSeenByApp: Bool = false) -> String {
    switch self {
    case .current: isSeenByApp ? "as the app sees it" : "by its recorded length"
    case .confirmed: "last full rewrite"
    case .appended: "with what follows it"
    case .salvaged: "best recoverable"
    case .beforeReset: "before it was emptied"
    }
  }
}
