import KVBytes
import KVModel
import KVRecovery

/// A prediction in words.
struct EngineForecast {
  private let prediction: EnginePrediction
  /// Whether the engine asks the app, rather than only notifying it.
  private let isAppAsked: Bool

  init(_ prediction: EnginePrediction, isAppAsked: Bool) {
    self.prediction = prediction
    self.isAppAsked = isAppAsked
  }

  /// The prediction in one sentence.
  var text: String {
    let handlers = prediction.load.callbacks.joined(separator: ", ")
    guard !handlers.isEmpty, isAppAsked else {
      if prediction.load.outcome == .crashed {
        return "At each launch\(premise), the app will get \(handlers) whenever it reads the "
          + "store; it crashes unless it handles that."
      }
      let told =
        handlers.isEmpty ? "no handler will be called" : "it gets \(handlers) but is not asked"
      return "At its next launch\(premise), the app will \(deed); \(told).\(expired)"
    }
    let answer = prediction.answer.rawValue
    return
      "At the next launch\(premise), \(handlers) will be called; if the app answers \(answer), it will "
      + "\(deed).\(expired)"
  }

  /// What the engine's getters return for entries that have expired, as a further sentence.
  var expired: String {
    let count = prediction.expiredCount
    guard count > 0 else { return "" }
    return " \(count.grouped) of them \(count == 1 ? "has" : "have") expired, so the app's getters "
      + "return the default \(count == 1 ? "value" : "values") instead."
  }

  /// The condition of the prediction, after a comma.
  private var premise: String { prediction.load.premise.map { ", \($0)" } ?? "" }

  /// What the engine does, without numbers of entries.
  var shortDeed: String {
    switch prediction.load.outcome {
    case .loaded where prediction.keyCount == 0: "shows an empty store"
    case .loaded: "loads the log"
    case .rolledBack: "falls back to an older size"
    case .recovered: "keeps what decodes"
    case .discarded: "discards the log"
    case .crashed: "crashes"
    }
  }

  private var deed: String {
    let held = prediction.held.words
    switch prediction.load.outcome {
    case .loaded where prediction.keyCount == 0 && !prediction.lostKeys.isEmpty:
      return "show an empty store instead of \(held), and its next write will overwrite the log"
    case .loaded where prediction.held.isEmpty && prediction.keyCount == 0:
      return "show an empty store"
    case .loaded: return "load \(share)"
    case .rolledBack where prediction.lostKeys.isEmpty:
      return "fall back to an older size, with \(share)"
    case .rolledBack: return "silently roll back to \(share)"
    case .recovered: return "keep what it can decode: \(share)"
    case .discarded:
      return prediction.held.isEmpty
        ? "discard the log" : "discard \(prediction.held.words(of: prediction.held))"
    case .crashed: return "crash"
    }
  }

  /// How much of what the files hold the app will have.
  private var share: String {
    let share = (prediction.held - prediction.lost).words(of: prediction.held)
    let others = prediction.unsupportedCount
    guard others > 0 else { return share }
    return prediction.isHeldVerified
      ? "\(share), plus \(others) that \(others == 1 ? "is" : "are") wrong or invented"
      : "\(share), plus \(others) with a different value or key"
  }
}
