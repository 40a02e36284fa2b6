import KVModel
import KVRecovery

/// A prediction in words.
struct EngineForecast {
  private let prediction: EnginePrediction
  /// Whether the engine asks the app, or tells it at most.
  private let isAppAsked: Bool

  init(_ prediction: EnginePrediction, isAppAsked: Bool) {
    self.prediction = prediction
    self.isAppAsked = isAppAsked
  }

  /// One or two sentences for people.
  var text: String { "At its next launch the app will \(deed); \(callbacks)." }

  private var deed: String {
    let held = Plural.count(prediction.heldCount, "entry", "entries")
    switch prediction.load.outcome {
    case .loaded where prediction.keyCount == 0 && !prediction.lostKeys.isEmpty:
      return "show an empty store instead of \(held), and its next write will overwrite the log"
    case .loaded where prediction.heldCount == 0 && prediction.keyCount == 0:
      return "show an empty store"
    case .loaded: return "load \(share)"
    case .rolledBack where prediction.lostKeys.isEmpty:
      return "fall back to an older size, with \(share)"
    case .rolledBack: return "silently roll back to \(share)"
    case .recovered: return "keep what it can decode: \(share)"
    case .discarded: return prediction.heldCount == 0 ? "discard the log" : "discard all \(held)"
    }
  }

  /// How much of what the files hold the app will have.
  private var share: String {
    let held = prediction.heldCount
    let kept = held - prediction.lostKeys.count
    let share =
      kept == held
      ? "\(held == 1 ? "the one entry" : "all \(held) entries")"
      : "\(kept) of \(held) entries"
    let others = prediction.unsupportedCount
    return share
      + (others > 0
        ? ", beside \(Plural.count(others, "value", "values")) that the files do not support" : "")
  }

  private var callbacks: String {
    let names = prediction.load.callbacks.joined(separator: ", ")
    if names.isEmpty { return "no callback will be called" }
    return isAppAsked
      ? "\(names) will be called, and it answers \(prediction.answer.rawValue)"
      : "it gets \(names), and is asked nothing"
  }
}
