import KVModel
import KVRecovery

/// A prediction in words.
struct EngineForecast {
  private let prediction: EnginePrediction

  init(_ prediction: EnginePrediction) { self.prediction = prediction }

  /// One or two sentences for people.
  var text: String { "At its next start the app will \(deed); \(callbacks)." }

  private var deed: String {
    let kept = prediction.keyCount
    let lost = prediction.lostKeys.count
    let loss =
      lost > 0 ? ", without \(Plural.count(lost, "entry", "entries")) that the files hold" : ""
    switch prediction.load.outcome {
    case .loaded:
      if kept == 0, lost > 0 {
        return "see an empty store, and its next write will overwrite the log" + loss
      }
      return "load \(Plural.count(kept, "entry", "entries"))" + loss
    case .rolledBack:
      return lost == 0
        ? "fall back to an older size, which gives \(Plural.count(kept, "entry", "entries"))"
        : "silently roll back to an older state of \(Plural.count(kept, "entry", "entries"))" + loss
    case .recovered:
      return "keep what it can decode, \(Plural.count(kept, "entry", "entries"))" + loss
    case .discarded:
      return "discard everything"
        + (lost > 0 ? ", \(Plural.count(lost, "entry", "entries")) that the files hold" : "")
    }
  }

  private var callbacks: String {
    prediction.load.callbacks.isEmpty
      ? "no callback will be called"
      : "\(prediction.load.callbacks.joined(separator: ", ")) will be called, and it answers "
        + prediction.answer.rawValue
  }
}
