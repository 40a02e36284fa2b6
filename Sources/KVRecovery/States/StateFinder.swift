import KVBytes
import KVModel

/// Lists the states that a store's files hold evidence for.
///
/// 1. *current*: the log by the store's own account, if it is there.
/// 2. *confirmed*: the log at the last full rewrite, if its digest holds and it has records.
/// 3. *salvaged*, where the current one is not whole: the log that ends where the stored digest says
///    (``EndSearch``), or that another size field gives with a digest that holds; else everything up
///    to where the log most likely ended, read on past damage.
/// 4. *before-reset*, where the current log is nearly empty and there are more records behind it.
///
/// Bytes behind the log are never taken for live ones: they hold older values and removed keys.
struct StateFinder<S: Store> {
  private let store: S

  init(_ store: S) { self.store = store }

  /// The states, the one that the store itself goes by first.
  func states() -> [StoreState] {
    let current = self.current()
    var states = [current]
    if let confirmed = confirmed(current) { states.append(confirmed) }
    if !current.isSound { states.append(salvaged(current)) }
    if let former = beforeReset(current) { states.append(former) }
    return states
  }

  // MARK: The states

  private func current() -> StoreState {
    guard let account = store.accounts.first, let log = account.log else {
      let account = store.accounts.first
      return StoreState(
        .current, log: nil, scan: .plain, snapshot: .empty, isVouchedFor: false,
        isContradicted: true,
        "\(account?.origin ?? "the size") is \(account?.count ?? 0) bytes, which are not there")
    }
    // The engine's own limits first: where nothing offends them, the two readings are the same.
    let strict = Replay(scan: .engine).snapshot(of: store, log: log)
    let snapshot =
      strict.gaps.isEmpty ? strict : Replay(scan: .plain).snapshot(of: store, log: log)
    return StoreState(
      .current, log: log, scan: strict.gaps.isEmpty ? .engine : .plain, snapshot: snapshot,
      isVouchedFor: account.isVouchedFor,
      isContradicted: account.claim != nil && !account.isVouchedFor,
      "\(account.count) bytes, by \(account.origin)"
        + (account.isVouchedFor ? "; the checksum holds" : ""))
  }

  private func confirmed(_ current: StoreState) -> StoreState? {
    guard let account = confirmedAccount, let log = account.log else { return nil }
    let snapshot =
      log == current.log ? current.snapshot : Replay(scan: .plain).snapshot(of: store, log: log)
    guard snapshot.recordCount > 0 else { return nil }
    return StoreState(
      .confirmed, log: log, scan: .plain, snapshot: snapshot, isVouchedFor: true,
      "\(account.count) bytes, by \(account.origin); the checksum holds")
  }

  private func salvaged(_ current: StoreState) -> StoreState {
    if let (log, reason) = provenLog {
      let snapshot = Replay(scan: .salvage).snapshot(of: store, log: log)
      return StoreState(
        .salvaged, log: log, scan: .salvage, snapshot: snapshot, isVouchedFor: true, reason)
    }
    let end = likelyEnd()
    let snapshot = Replay(scan: .salvage).snapshot(of: store, log: end.log)
    return StoreState(
      .salvaged, log: end.log, scan: .salvage, snapshot: snapshot, isVouchedFor: false,
      confirmed: confirmedAccount?.log, isContradicted: store.accounts.first?.digest != nil,
      isCutOff: end.isCutOff, end.message)
  }

  private func beforeReset(_ current: StoreState) -> StoreState? {
    guard let log = current.log, current.isVouchedFor || current.snapshot.live.isEmpty else {
      return nil
    }
    let area = store.logArea
    let slack = max(log.end, area.offset)..<area.end
    let former = store.written(in: Extent(area.file, slack))
    guard former.count > 0 else { return nil }
    let snapshot = Replay(scan: .salvage).snapshot(of: store, log: former)
    guard snapshot.live.count > max(1, current.snapshot.live.count),
      snapshot.bytes.lost < former.count / 2
    else { return nil }
    return StoreState(
      .beforeReset, log: former, scan: .salvage, snapshot: snapshot, isVouchedFor: false,
      isCutOff: true,
      "\(former.count) bytes behind a log of \(log.count): what was there before it was emptied")
  }

  // MARK: Where the log ends

  private var confirmedAccount: LogAccount? {
    store.accounts.first { $0.role == .confirmed && $0.isVouchedFor && $0.count > 0 }
  }

  /// The log that a stored digest vouches for, though the size field does not lead to it.
  private var provenLog: (Extent, String)? {
    guard let current = store.accounts.first else { return nil }
    let others = store.accounts.filter { $0.role == .alternate && $0.isVouchedFor && $0.count > 0 }
    if let account = others.max(by: { $0.count < $1.count }), let log = account.log {
      return (log, "\(account.count) bytes, by \(account.origin); the checksum holds there")
    }
    guard let digest = current.digest,
      let log = EndSearch(digest: digest).log(in: store, within: written)
    else { return nil }
    return (
      log,
      "\(log.count) bytes: the stored checksum holds there, and \(current.origin) "
        + "(\(current.count)) is wrong"
    )
  }

  /// An end that no checksum proves.
  private struct LikelyEnd {
    let log: Extent
    let isCutOff: Bool
    let message: String
  }

  private func likelyEnd() -> LikelyEnd {
    let area = store.logArea
    let confirmedEnd = confirmedAccount?.log?.end ?? area.offset
    guard let account = store.accounts.first else {
      return LikelyEnd(log: area, isCutOff: true, message: "all bytes")
    }
    let chain = chain(notBefore: confirmedEnd)
    // A size that ends inside a record is not this log's.
    if let log = account.log, log.count > 0, log.end >= chain.end || chain.meetsSize {
      return LikelyEnd(
        log: Extent(area.file, area.offset..<max(log.end, confirmedEnd)), isCutOff: false,
        message: "\(account.count) bytes, by \(account.origin), read on past damage")
    }
    if account.log == nil, account.count / 16 <= max(area.count, 256) {
      return LikelyEnd(
        log: written, isCutOff: true,
        message: "all \(area.count) bytes that are left of the \(account.count) by "
          + account.origin)
    }
    let end = max(chain.end, confirmedEnd)
    return LikelyEnd(
      log: Extent(area.file, area.offset..<end), isCutOff: chain.isBroken,
      message: "\(end - area.offset) bytes, to where the records stop")
  }

  /// The bytes behind the header, without those at the end in which nothing was ever written.
  private var written: Extent { store.written(in: store.logArea) }

  /// The records from the log's start, or close behind it, to the first damage or the first hole.
  private struct Chain {
    var end: Int
    var isBroken = false
    /// Whether one of the records ends where the size field says that the log does.
    var meetsSize: Bool
  }

  /// How many bytes at the log's start can be unreadable while all behind them is whole: a prefix,
  /// or the block of a cipher whose vector is lost.
  private var headCount: Int { 32 }

  private func chain(notBefore confirmedEnd: Int) -> Chain {
    let area = written
    let sizeEnd = store.accounts.first?.log?.end
    var chain = Chain(end: area.offset, meetsSize: sizeEnd == area.offset)
    for event in store.records(in: area, scan: .salvage) {
      if case .gap(let gap) = event, gap.extent.offset > area.offset + headCount {
        chain.isBroken = true
        break
      }
      if case .filler(let extent) = event, extent.count >= 8, extent.end > confirmedEnd { break }
      chain.end = event.extent.end
      if chain.end == sizeEnd { chain.meetsSize = true }
    }
    return chain
  }
}

extension StoreState {
  /// Whether the state is whole: a checksum holds and every byte decodes.
  public var isSound: Bool { isVouchedFor && snapshot.gaps.isEmpty }
}
