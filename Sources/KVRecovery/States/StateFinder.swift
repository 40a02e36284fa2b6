import KVBytes
import KVModel

/// Finds the states that a store's files hold evidence for, by applying the evidence rules.
///
/// 1. *current*: the log according to the store's own claim; it is empty if the file is too short.
/// 2. *confirmed*: the log after the last full rewrite, if its checksum matches and it has records.
/// 3. *salvaged*: the best log that the bytes support, if the current one is not whole.
/// 4. *appended*: the current log with whole records after it that may be newer, if it is whole.
/// 5. *before-reset*: the records after the log, if there are more than in the log, which is nearly
///    empty.
struct StateFinder<S: Store> {
  private let store: S

  init(_ store: S) { self.store = store }

  /// Returns the states; the current state is the first.
  func states() -> [StoreState] {
    let (current, part) = self.current()
    var states = [current]
    let confirmed = confirmed(current, part)
    if let confirmed { states.append(confirmed) }
    if !current.isSound {
      if let salvaged = salvaged(confirmed, current) { states.append(salvaged) }
    } else if let log = current.log {
      let found = store.conclusions(after: log, holding: current.snapshot.live)
      states[0] = current.concluding(found.filter { $0.subject != nil })
      if let appended = appended(found.filter { $0.subject == nil }) { states.append(appended) }
    }
    if let emptied = beforeReset(current, confirmed) { states.append(emptied) }
    return states.map { state in
      state.concluding(store.conclusions(about: state.snapshot.live, in: state.log))
        .counted(in: store)
    }
  }

  /// Returns the current state, and the snapshot of the confirmed log if the current log begins
  /// with it, because one replay yields both.
  private func current() -> (state: StoreState, confirmed: Snapshot?) {
    let lengthClaim = store.lengthClaims.first
    guard let lengthClaim, let log = lengthClaim.log else {
      let reason =
        lengthClaim.map {
          "the \($0.origin) is \($0.count.inBytes), more than the file has"
        } ?? "no file says how long the log is"
      let conclusion = Conclusion(.state, by: StatedLength.self, .structure, reason)
      return (StoreState(.current, log: nil, scan: .plain, .empty, [conclusion], reason), nil)
    }
    let confirmed = confirmedClaim?.log.flatMap { $0.isStart(of: log) ? $0.end : nil }
    // The engine's limits are applied first. If no record exceeds them, a second reading would give
    // the same result.
    let (strict, part) = Replay(scan: .engine).snapshots(of: store, log: log, andUpTo: confirmed)
    let isStrict = strict.gaps.isEmpty
    let snapshot = isStrict ? strict : Replay(scan: .plain).snapshot(of: store, log: log)
    var investigation = Investigation(
      store, .current, of: WrittenArea(known: log), lengthClaim, holding: snapshot)
    investigation.run()
    return (investigation.state(scan: isStrict ? .engine : .plain), part)
  }

  private func confirmed(_ current: StoreState, _ part: Snapshot?) -> StoreState? {
    guard let lengthClaim = confirmedClaim, let log = lengthClaim.log else { return nil }
    let snapshot =
      log == current.log
      ? current.snapshot : part ?? Replay(scan: .plain).snapshot(of: store, log: log)
    guard snapshot.recordCount > 0 else { return nil }
    var investigation = Investigation(
      store, .confirmed, of: WrittenArea(known: log), lengthClaim, holding: snapshot)
    investigation.run()
    return investigation.state()
  }

  /// Returns the state of the longer log that `found` concludes from what follows a sound one; `nil`
  /// if it concludes none.
  private func appended(_ found: [Conclusion]) -> StoreState? {
    guard let log = store.lengthClaims.first?.log, !found.isEmpty else { return nil }
    var investigation = Investigation(
      store, .appended, of: WrittenArea(known: log), store.lengthClaims.first, confirmedLog: log,
      holding: .empty)
    investigation.accept(found)
    investigation.run()
    return investigation.state()
  }

  private func salvaged(_ confirmed: StoreState?, _ current: StoreState) -> StoreState? {
    var found: [StoreState] = []
    for area in store.logAreas {
      // A copy that was passed over is used only if no other copy has any entries.
      if isPassedOver(area), found.contains(where: { !$0.snapshot.live.isEmpty }) { continue }
      guard let state = salvaged(in: area, confirmed, current) else { continue }
      if state.isSound { return state }
      found.append(state)
    }
    guard
      let best = found.indices.max(by: {
        (found[$0].snapshot.live.count, $1) < (found[$1].snapshot.live.count, $0)
      })
    else { return nil }
    let others = found.indices.filter { $0 != best }.map { found[$0] }
    return CopyUnion(of: store).state(found[best], and: others)
  }

  private func isPassedOver(_ area: Extent) -> Bool {
    store.lengthClaims.contains { $0.role == .passedOver && $0.statedAt?.file == area.file }
  }

  private func salvaged(
    in area: Extent, _ confirmed: StoreState?, _ current: StoreState
  ) -> StoreState? {
    // The current claim may be stored in a file other than the log's. The claims about other copies
    // are stored in the copies.
    let own =
      area == store.logArea
      ? store.lengthClaims.first : store.lengthClaims.first { $0.statedAt?.file == area.file }
    guard let lengthClaim = own else { return nil }
    let confirmedLog = confirmedClaim?.log.flatMap { $0.file == area.file ? $0 : nil }
    var investigation = Investigation(
      store, .salvaged, in: area, lengthClaim, confirmedLog: confirmedLog,
      confirmedLog == nil ? nil : confirmed, current: current)
    investigation.run()
    return investigation.state()
  }

  private func beforeReset(_ current: StoreState, _ confirmed: StoreState?) -> StoreState? {
    guard let area = BeforeReset.area(after: current, rewrittenAs: confirmed, of: store) else {
      return nil
    }
    let written = WrittenArea(area, of: store)
    let snapshot = Replay(scan: .plain, around: written.gaps)
      .snapshot(of: store, log: written.extent)
    var investigation = Investigation(
      store, .beforeReset, of: written, current: current, holding: snapshot)
    investigation.run()
    return investigation.holds(BeforeReset.self) ? investigation.state() : nil
  }

  private var confirmedClaim: LengthClaim? {
    store.lengthClaims.first { $0.role == .confirmed && $0.isVerified && $0.count > 0 }
  }
}

extension Extent {
  /// Returns whether this extent begins where `other` does and ends within it.
  func isStart(of other: Extent) -> Bool {
    offset == other.offset && other.contains(self)
  }
}
