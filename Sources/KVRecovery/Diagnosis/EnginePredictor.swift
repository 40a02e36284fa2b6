import KVModel

/// Predicts what the engine will have after it opens a store.
struct EnginePredictor<S: Store> {
  private let store: S
  /// The store as found, which is what the engine reads.
  private let found: S
  /// The states that were found; their snapshots need not be made again.
  private let states: [StoreState]
  /// The best state, with which the engine's map is compared; `nil` if no states were found.
  private let best: StoreState?

  /// Creates a predictor of what the engine makes of `store`, whose states are `states`.
  init(_ store: S, _ states: [StoreState] = []) {
    self.store = store
    found = store.applying([])
    self.states = states
    best = Diagnosis.best(of: states)
  }

  /// Returns the predictions for both answers, discard first.
  func predictions() -> [EnginePrediction] {
    let discard = prediction(for: .discard)
    let load = found.engineLoad(answering: EngineAnswers(always: .recover))
    if load == discard.load {
      // The app is not asked, so its answer makes no difference.
      return [
        discard,
        EnginePrediction(
          answer: .recover, load: load, snapshot: discard.snapshot, lostKeys: discard.lostKeys,
          heldCount: discard.heldCount, isHeldVerified: discard.isHeldVerified),
      ]
    }
    return [discard, prediction(for: .recover)]
  }

  private func prediction(for answer: RecoveryDecision) -> EnginePrediction {
    let load = found.engineLoad(answering: EngineAnswers(always: answer))
    let snapshot = snapshot(load)
    return EnginePrediction(
      answer: answer, load: load, snapshot: snapshot, lostKeys: lostKeys(snapshot),
      heldCount: best?.snapshot.live.count ?? 0, isHeldVerified: best?.isSound ?? false)
  }

  /// Returns the map that the engine has after `load`, without the keys whose values it lacks.
  func snapshot(_ load: EngineLoad) -> Snapshot {
    let snapshot = loaded(load)
    guard !found.readsValuesAsStored,
      snapshot.live.contains(where: { found.loadedValue(of: $0) == .missing })
    else { return snapshot }
    return snapshot.holding(snapshot.live.filter { found.loadedValue(of: $0) != .missing })
  }

  /// Returns the map of the records that the engine reads.
  private func loaded(_ load: EngineLoad) -> Snapshot {
    guard let log = load.log else { return .empty }
    let snapshot = known(log) ?? Replay(likeEngine: load).snapshot(of: found, log: log)
    guard let now = load.dropsExpiredAt else { return snapshot }
    return snapshot.holding(
      snapshot.live.filter { record in
        guard let time = found.engineExpiry(of: record), time != 0 else { return true }
        return time > now
      })
  }

  /// Returns the snapshot of `log` if it was read as the engine reads it and all of it decodes;
  /// `nil` if it was not.
  private func known(_ log: Extent) -> Snapshot? {
    guard store.corrections.isEmpty else { return nil }
    return states.first { $0.scan == .engine && $0.isReadWhole(log) }?.snapshot
  }

  /// Returns the keys of the best state that `snapshot` lacks or has with another value.
  private func lostKeys(_ snapshot: Snapshot) -> [Key] {
    guard let best else { return [] }
    let misread =
      found.readsValuesAsStored
      ? [] : Set(snapshot.live.filter { found.loadedValue(of: $0) != .asStored })
    guard !misread.isEmpty || !store.corrections.isEmpty || best.snapshot.live != snapshot.live
    else { return [] }
    var others: [Key: Record] = [:]
    for record in snapshot.live { others[found.key(of: record)] = record }
    return best.snapshot.live.compactMap { record in
      let key = store.key(of: record)
      guard let other = others[key], !misread.contains(other) else { return key }
      return other == record && store.corrections.isEmpty
        || found.hasSameValue(other, as: record, in: store) ? nil : key
    }.sorted()
  }
}
