import KVModel

/// Lists the states that a store's files hold evidence for.
///
/// 1. *current*: the log by the store's own account, if it is there.
/// 2. *confirmed*: the log at the last full rewrite, if its digest holds and it has records.
/// 3. *salvaged*, where the current one is not whole (see ``LogSearch``), or records were appended
///    behind it (see ``NewerTail``).
/// 4. *before-reset*, where the current log is nearly empty and there are more records behind it.
struct StateFinder<S: Store> {
  private let store: S

  init(_ store: S) { self.store = store }

  /// The states, the one that the store itself goes by first.
  func states() -> [StoreState] {
    let (current, part) = self.current()
    var states = [current]
    if let confirmed = confirmed(current, part) { states.append(confirmed) }
    let confirmed = states.first { $0.name == .confirmed }
    if let salvaged = current.isSound ? withTail(current, confirmed) : salvaged(confirmed) {
      states.append(salvaged)
    }
    if let former = beforeReset(current) { states.append(former) }
    for index in states.indices {
      states[index].doubts = store.doubts(about: states[index].snapshot.live)
    }
    return states
  }

  /// The current state, and the snapshot of the confirmed log where that is how the current one
  /// begins: it comes by the way.
  private func current() -> (state: StoreState, confirmed: Snapshot?) {
    guard let account = store.accounts.first, let log = account.log else {
      let account = store.accounts.first
      let state = StoreState(
        .current, log: nil, scan: .plain, snapshot: .empty, isVouchedFor: false,
        isContradicted: true,
        "\(account?.origin ?? "the size") is \(account?.count ?? 0) bytes, which are not there")
      return (state, nil)
    }
    let confirmed = confirmedAccount?.log.flatMap { $0.isStart(of: log) ? $0.end : nil }
    // The engine's own limits first: where nothing offends them, the two readings are the same.
    let (strict, part) = Replay(scan: .engine).snapshots(of: store, log: log, andUpTo: confirmed)
    let snapshot =
      strict.gaps.isEmpty ? strict : Replay(scan: .plain).snapshot(of: store, log: log)
    let state = StoreState(
      .current, log: log, scan: strict.gaps.isEmpty ? .engine : .plain, snapshot: snapshot,
      isVouchedFor: account.isVouchedFor
        || (store.hasRecordChecksums && !isOutvoted(account) && !account.isEndDoubtful),
      recordsHaveChecksums: store.hasRecordChecksums,
      isContradicted: account.claim != nil && !account.isVouchedFor,
      isEndDoubtful: account.isEndDoubtful, uncovered: store.uncovered,
      isCorrected: account.isCorrected,
      "\(account.count) bytes, by \(account.origin)"
        + (account.isVouchedFor
          ? "; the checksum holds\(account.isCorrected ? " with what was put right" : "")" : ""))
    return (state, part)
  }

  /// Whether no checksum vouches for the log of `account`, and one does for another log.
  private func isOutvoted(_ account: LogAccount) -> Bool {
    store.accounts.contains {
      $0.role == .alternate && $0.isVouchedFor && $0.log != account.log
    }
  }

  private func confirmed(_ current: StoreState, _ part: Snapshot?) -> StoreState? {
    guard let account = confirmedAccount, let log = account.log else { return nil }
    let snapshot =
      log == current.log
      ? current.snapshot : part ?? Replay(scan: .plain).snapshot(of: store, log: log)
    guard snapshot.recordCount > 0 else { return nil }
    return StoreState(
      .confirmed, log: log, scan: .plain, snapshot: snapshot, isVouchedFor: true,
      uncovered: store.uncovered, isCorrected: account.isCorrected,
      "\(account.count) bytes, by \(account.origin); the checksum holds")
  }

  /// A sound log with the records that were appended behind it, if there are such.
  private func withTail(_ current: StoreState, _ confirmed: StoreState?) -> StoreState? {
    guard let log = current.log, let confirmed,
      let tail = NewerTail(behind: log, of: store, confirmed: confirmed.snapshot)
    else { return nil }
    let whole = Extent(log.file, log.offset..<tail.extent.end)
    return StoreState(
      .salvaged, log: whole, scan: .plain,
      snapshot: Replay(scan: .plain).snapshot(of: store, log: whole), isVouchedFor: false,
      confirmed: log, isContradicted: true, uncovered: store.uncovered,
      "\(log.count) bytes, for which the checksum holds, and \(tail.extent.count) behind them that "
        + "were written later")
  }

  private func salvaged(_ confirmed: StoreState?) -> StoreState? {
    var found: [StoreState] = []
    for area in store.logAreas {
      // What is older than the log that was lost only counts where nothing of that is left.
      if isFormer(area), found.contains(where: { !$0.snapshot.live.isEmpty }) { continue }
      guard let state = salvaged(in: area, confirmed) else { continue }
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

  private func isFormer(_ area: Extent) -> Bool {
    store.accounts.contains { $0.role == .former && $0.statedAt?.file == area.file }
  }

  private func salvaged(in area: Extent, _ former: StoreState?) -> StoreState? {
    // The current account may be stated in another file than the log is in; those of other copies
    // are stated in the copy.
    let own =
      area == store.logArea
      ? store.accounts.first : store.accounts.first { $0.statedAt?.file == area.file }
    guard let account = own else { return nil }
    let confirmed = confirmedAccount?.log.flatMap { $0.file == area.file ? $0 : nil }
    let found = LogSearch(
      store, in: area, current: account, confirmed: confirmed.flatMap { _ in former }
    ).outcome()
    let state = state(found, account, confirmed, around: found.gaps)
    guard state.gaps.count > 1, let rewrite = InterruptedRewrite(in: store, state) else {
      return state.adding(FormerRecords(of: state, in: store).records)
    }
    return self.state(found, account, confirmed, around: [rewrite.whole(state.gaps)])
  }

  private func state(
    _ found: LogSearch<S>.Outcome, _ account: LogAccount, _ confirmed: Extent?, around gaps: [Gap]
  ) -> StoreState {
    let snapshot = Replay(scan: .plain, around: gaps).snapshot(of: store, log: found.log)
    var state = StoreState(
      .salvaged, log: found.log, scan: .plain, snapshot: snapshot,
      isVouchedFor: !found.isEndDoubtful
        && (found.isProven || (store.hasRecordChecksums && !found.isCutOff)),
      recordsHaveChecksums: store.hasRecordChecksums, confirmed: confirmed,
      isContradicted: !found.isProven, isCutOff: found.isCutOff,
      isEndDoubtful: found.isEndDoubtful, uncovered: store.uncovered,
      anchored: anchored(found, account), found.message)
    if !found.isProven {
      let torn = [
        HalfWritten.record(in: snapshot, found.log, account, of: store),
        MixedRecord.record(in: snapshot, found.log, of: store),
      ]
      state.doubtful = Set(store.implausible(snapshot.live) + torn.compactMap { $0 })
        .filter { !isSettled($0, confirmed) }
    }
    return state
  }

  /// Whether the checksum of the last full rewrite says that `record` is as it was stored.
  private func isSettled(_ record: Record, _ confirmed: Extent?) -> Bool {
    confirmed?.contains(record.extent) == true && store.uncovered?.overlaps(record.extent) != true
  }

  /// How many records it takes, at most, until reading is in step again.
  private static var stepCount: Int { 2 }

  /// The records behind the last gap, but for the first two, where they lead to an end that is known:
  /// the stated size, or one that a checksum proves.
  ///
  /// Reading that begins in the wrong place may yield a record that never was. It does not for long,
  /// and then is in step.
  private func anchored(_ found: LogSearch<S>.Outcome, _ account: LogAccount) -> Extent? {
    guard let gap = found.gaps.last, found.isProven || found.log == account.log else { return nil }
    let rest = Extent(found.log.file, gap.extent.end..<found.log.end)
    var count = 0
    for case .record(let record) in store.records(in: rest, scan: .plain) {
      count += 1
      if count == Self.stepCount {
        return Extent(rest.file, record.extent.end..<rest.end)
      }
    }
    return nil
  }

  private func beforeReset(_ current: StoreState) -> StoreState? {
    // A size of 0 that the meta file states without a digest is that of a log which was never written.
    let isNeverWritten = store.accounts.first.map { $0.count == 0 && $0.statedAt?.file == .meta }
    guard let log = current.log, current.isVouchedFor || isNeverWritten == true else { return nil }
    let area = store.logArea
    let start = max(log.end, area.offset)
    let keyCount = max(1, current.snapshot.live.count)
    // A record takes four bytes and more: fewer bytes cannot hold more entries than the log.
    guard (area.end - start) / 4 > keyCount else { return nil }
    let former = WrittenArea(Extent(area.file, start..<area.end), of: store)
    let snapshot = Replay(scan: .plain, around: former.gaps)
      .snapshot(of: store, log: former.extent)
    guard snapshot.live.count > keyCount, snapshot.bytes.lost < former.extent.count / 2 else {
      return nil
    }
    return StoreState(
      .beforeReset, log: former.extent, scan: .plain, snapshot: snapshot, isVouchedFor: false,
      isContradicted: true,
      "\(former.extent.count) bytes behind a log of \(log.count): what was there before it was "
        + "emptied")
  }

  private var confirmedAccount: LogAccount? {
    store.accounts.first { $0.role == .confirmed && $0.isVouchedFor && $0.count > 0 }
  }
}

extension Extent {
  /// Whether the extent begins where `other` does, and ends within it.
  fileprivate func isStart(of other: Extent) -> Bool {
    offset == other.offset && other.contains(self)
  }
}
