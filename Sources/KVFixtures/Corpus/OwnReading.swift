import KVModel
import KVRecovery

/// The entries that kvfsck and the app's own engine read from a store.
struct OwnReading {
  /// The entries that `kvfsck dump` prints.
  let recovered: [ReturnedEntry]
  /// The entries in the engine if the app answers `discard`.
  let engineDiscarding: [ReturnedEntry]
  /// The entries in the engine if the app answers `recover`.
  let engineRecovering: [ReturnedEntry]

  /// Reads `files`.
  init(_ files: [StoreFile], _ answer: CaseAnswer) {
    self.init(
      files, answer.format.storeFormat(key: answer.key, now: answer.now), now: answer.now)
  }

  private init(_ files: [StoreFile], _ format: some StoreFormat, now: UInt32) {
    let opened = format.open(files)
    let found = opened.asFound
    let (store, diagnosis) = opened.examined(now: now)
    let plan = RepairPlanner(strategy: .recover).plan(store, given: diagnosis)
    recovered = (plan?.kept ?? []).map { entry in
      ReturnedEntry(
        key: store.key(of: entry.record), value: store.value(of: entry.record),
        isMarked: entry.evidence == .guess || !entry.cautions.isEmpty)
    }
    let engine = { (answer: RecoveryDecision) in
      (diagnosis.predictions.first { $0.answer == answer }?.snapshot.live ?? []).map {
        ReturnedEntry(key: found.key(of: $0), value: found.value(of: $0))
      }
    }
    engineDiscarding = engine(.discard)
    engineRecovering = engine(.recover)
  }
}
