import KVModel

/// Works out what an opening by the engine comes to.
struct EnginePredictor<S: Store> {
  private let store: S
  /// The state that the files support best, which losses are counted against; nothing where the
  /// records cannot be read.
  private let best: StoreState?

  init(_ store: S, best: StoreState?) {
    self.store = store
    self.best = best
  }

  /// The predictions for both answers, discard first.
  func predictions() -> [EnginePrediction] {
    let discard = prediction(for: .discard)
    let load = store.engineLoad(answering: EngineAnswers(always: .recover))
    if load == discard.load {
      // Nobody is asked, so the answer makes no difference.
      return [
        discard,
        EnginePrediction(
          answer: .recover, load: load, snapshot: discard.snapshot, lostKeys: discard.lostKeys,
          unsupportedCount: discard.unsupportedCount, heldCount: discard.heldCount),
      ]
    }
    return [discard, prediction(for: .recover)]
  }

  private func prediction(for answer: RecoveryDecision) -> EnginePrediction {
    let load = store.engineLoad(answering: EngineAnswers(always: answer))
    let snapshot = snapshot(load)
    let difference = difference(from: snapshot)
    return EnginePrediction(
      answer: answer, load: load, snapshot: snapshot, lostKeys: difference.lost,
      unsupportedCount: difference.unsupported,
      heldCount: best?.snapshot.live.count ?? 0)
  }

  /// The map that the engine has after `load`.
  func snapshot(_ load: EngineLoad) -> Snapshot {
    guard let log = load.log else { return .empty }
    if let best, best.log == log, best.isSound, best.scan == .engine, load.dropsExpiredAt == nil {
      return best.snapshot
    }
    let snapshot = Replay(likeEngine: load).snapshot(of: store, log: log)
    guard let now = load.dropsExpiredAt else { return snapshot }
    let live = snapshot.live.filter { record in
      guard let time = store.expiry(of: record), time != 0 else { return true }
      return time > now
    }
    return Snapshot(
      live: live, recordCount: snapshot.recordCount, gaps: snapshot.gaps, bytes: snapshot.bytes)
  }

  /// What the best state has and `snapshot` has not, and how many keys it is the other way round.
  private func difference(from snapshot: Snapshot) -> (lost: [Key], unsupported: Int) {
    guard let best, best.snapshot.live != snapshot.live else { return ([], 0) }
    var others: [Key: Record] = [:]
    for record in snapshot.live { others[store.key(of: record)] = record }
    var lost: [Key] = []
    for record in best.snapshot.live {
      let key = store.key(of: record)
      guard let other = others.removeValue(forKey: key) else {
        lost.append(key)
        continue
      }
      if other != record, store.value(of: other) != store.value(of: record) { lost.append(key) }
    }
    return (lost.sorted(), others.count)
  }
}
