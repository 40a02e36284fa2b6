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
    found = store.asFound
    self.states = states
    best = Diagnosis.best(of: states)
  }

  /// Returns the predictions for both answers, discard first; expiry is judged by the time `now`.
  func predictions(now: UInt32) -> [EnginePrediction] {
    let discard = prediction(for: .discard, now)
    let load = found.engineLoad(answering: EngineAnswers(always: .recover))
    if load == discard.load {
      // The app is not asked, so its answer makes no difference.
      return [
        discard,
        EnginePrediction(
          answer: .recover, load: load, snapshot: discard.snapshot, lostKeys: discard.lostKeys,
          held: discard.held, lost: discard.lost, recoverable: discard.recoverable,
          expiredCount: discard.expiredCount, isHeldVerified: discard.isHeldVerified),
      ]
    }
    return [discard, prediction(for: .recover, now)]
  }

  private func prediction(for answer: RecoveryDecision, _ now: UInt32) -> EnginePrediction {
    let load = found.engineLoad(answering: EngineAnswers(always: answer))
    let snapshot = snapshot(load)
    let lost = lostRecords(snapshot)
    let guessCount = best?.guessCount ?? 0
    return EnginePrediction(
      answer: answer, load: load, snapshot: snapshot, lostKeys: lost.map(store.key(of:)).sorted(),
      held: EntryCount(
        entries: (best?.snapshot.live.count ?? 0) - guessCount, guesses: guessCount),
      lost: count(lost), recoverable: count(lost.filter(canBeKept)),
      expiredCount: expiredCount(snapshot.live, now), isHeldVerified: best?.isSound ?? false)
  }

  /// Returns the number of `records` of the best state, with the guesses apart.
  private func count(_ records: [Record]) -> EntryCount {
    guard let best, best.guessCount > 0 else { return EntryCount(entries: records.count) }
    let guesses = records.count { best.isUnlikely($0) }
    return EntryCount(entries: records.count - guesses, guesses: guesses)
  }

  /// Returns whether a repair can keep the entry of `record`: its value is there, and the engine can
  /// hold it.
  private func canBeKept(_ record: Record) -> Bool {
    store.obstacle(to: record, scan: .engine) == nil
      && store.reasonForNoValue(of: record) == nil
  }

  private func expiredCount(_ live: [Record], _ now: UInt32) -> Int {
    var count = 0
    for record in live {
      // If one entry has no expiry time, entries of the store do not expire at all.
      guard let time = found.engineExpiry(of: record) else { break }
      if time != 0, time <= now { count += 1 }
    }
    return count
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
    guard store.isReadAsFound else { return nil }
    return states.first { $0.scan == .engine && $0.isReadWhole(log) }?.snapshot
  }

  /// Returns the entries of the best state that `snapshot` lacks or has with another value.
  private func lostRecords(_ snapshot: Snapshot) -> [Record] {
    guard let best else { return [] }
    let misread =
      found.readsValuesAsStored
      ? [] : Set(snapshot.live.filter { found.loadedValue(of: $0) != .asStored })
    guard !misread.isEmpty || !store.isReadAsFound || best.snapshot.live != snapshot.live
    else { return [] }
    var others: [Key: Record] = [:]
    for record in snapshot.live { others[found.key(of: record)] = record }
    return best.snapshot.live.filter { record in
      guard let other = others[store.key(of: record)],
        misread.isEmpty || !misread.contains(other)
      else { return true }
      return !(other == record && store.isReadAsFound)
        && !found.hasSameValue(other, as: record, in: store)
    }
  }
}
