import KVModel

/// Looks for the log of a store whose own account of it does not hold.
///
/// 1. Another size field with the stored digest, or the end at which that digest holds
///    (``EndSearch``): proof.
/// 2. Else the size by the store's own account, unless it ends inside a record of a log that goes on; or
///    where a record ends that many bytes behind it which the file has too many, or in front of it which
///    it lacks.
/// 3. Else, where the file is shorter than the size, all that is left of it.
/// 4. Else the records from the start to the first damage or the first hole, and at least up to the
///    last confirmed size.
/// 5. Without proof, only the part in front of what is left of an older log.
///
/// Bytes behind the log are never taken for live ones: they hold older values and removed keys.
struct LogSearch<S: Store> {
  /// A log, and what speaks for it.
  struct Outcome {
    let log: Extent
    var gaps: [Gap]
    /// Whether a stored checksum proves where it ends.
    let isProven: Bool
    /// Whether records are missing at its end.
    let isCutOff: Bool
    /// Whether it may end earlier or later, so that its newest records may be older ones.
    var isEndDoubtful = false
    /// Where it comes from, for people.
    let message: String
  }

  /// How many bytes at the log's start can be unreadable while all behind them is whole: a prefix,
  /// or the block of a cipher whose vector is lost.
  private static var headCount: Int { 32 }

  private let store: S
  private let area: Extent
  private let written: WrittenArea
  private let current: LogAccount
  /// What the last full rewrite left, where that is known.
  private let confirmed: StoreState?
  private let confirmedEnd: Int
  /// Up to where a checksum says that nothing was damaged: there is nothing to be read around.
  private let settledEnd: Int

  /// A search in `area` of `store`, of which `current` speaks, and in which the last full rewrite left
  /// `confirmed`.
  init(_ store: S, in area: Extent, current: LogAccount, confirmed: StoreState?) {
    self.store = store
    self.area = area
    self.current = current
    self.confirmed = confirmed
    confirmedEnd = confirmed?.log?.end ?? area.offset
    settledEnd =
      confirmed?.snapshot.gaps.isEmpty == true && confirmed?.log?.file == area.file
      ? confirmedEnd : area.offset
    written = WrittenArea(area, of: store, settled: settledEnd)
  }

  /// The log.
  func outcome() -> Outcome {
    if let proven { return proven }
    var outcome = withoutOlder(withoutMissingPages(likely))
    if current.isEndDoubtful { outcome.isEndDoubtful = true }
    return outcome
  }

  private var proven: Outcome? {
    let others = store.accounts.filter { $0.role == .alternate && $0.isVouchedFor && $0.count > 0 }
    if let account = others.max(by: { $0.count < $1.count }), let log = account.log {
      var found = outcome(
        log, isProven: true,
        "\(account.count) bytes, by \(account.origin); the checksum holds there")
      found.isEndDoubtful = account.isEndDoubtful
      return found
    }
    guard let digest = current.digest else { return nil }
    let search = EndSearch(digest: digest, algorithm: current.algorithm, stated: current.log)
    // What is left of an older log can begin within what reads as a record across the end, and the gap
    // for that takes the last records of the log with it: without gaps they are read as they stand.
    guard
      let log = search.log(in: store, within: written.extent, around: written.gaps)
        ?? search.log(in: store, within: written.extent, around: [])
    else { return nil }
    if log == current.log {
      return outcome(
        log, isProven: true,
        "\(log.count) bytes, by \(current.origin); the checksum holds, but not all decodes")
    }
    return outcome(
      log, isProven: true,
      "\(log.count) bytes: the stored checksum holds there, and \(current.origin) "
        + "(\(current.count)) is wrong")
  }

  /// The log by the size that the records speak for, where that is not the stated one.
  private var byOtherSize: Outcome? {
    guard store.isRewrittenInPlace else { return nil }
    let ends = RecordEnds(of: store, in: written.extent, around: written.gaps)
    let others = store.accounts.filter { $0.role == .alternate }
    guard let size = ends.size(current, others, from: area.offset),
      area.offset + size.count >= confirmedEnd
    else { return nil }
    var found = outcome(
      Extent(area.file, area.offset..<area.offset + size.count),
      "\(size.count) bytes, \(size.message), read on past damage")
    found.isEndDoubtful = true
    return found
  }

  private var likely: Outcome {
    if let byOtherSize { return byOtherSize }
    let chain = self.chain
    // Where each record has a checksum, the format itself holds the size against its records.
    let isJudged = store.hasRecordChecksums
    if let log = current.log, log.count > 0, isJudged || log.end >= chain.end || chain.meetsSize {
      let end = displacedEnd(of: log)
      return outcome(
        Extent(area.file, area.offset..<max(end ?? log.end, confirmedEnd)),
        "\(current.count) bytes, by \(current.origin), "
          + (end.map { "and \($0 - log.end) that were put in or taken out, " } ?? "")
          + "read on past damage")
    }
    // A size many times that of the file is damaged itself and says nothing about the file.
    if current.log == nil, current.count / 16 <= max(area.count, 256) {
      return Outcome(
        log: written.extent, gaps: written.gaps, isProven: false, isCutOff: true,
        message: "all \(area.count) bytes that are left of the \(current.count) by "
          + current.origin)
    }
    let end = max(chain.end, confirmedEnd)
    return outcome(
      Extent(area.file, area.offset..<end), isCutOff: chain.isBroken,
      "\(end - area.offset) bytes, to where the records stop")
  }

  /// Where the log ends when bytes were put into its file, or taken out.
  ///
  /// That is where a record ends by as many behind the stated end, or the one that lies across it.
  /// Nothing where a record ends as stated.
  private func displacedEnd(of log: Extent) -> Int? {
    let displacement = store.displacement
    let displaced = log.end + displacement
    guard displacement != 0 else { return nil }
    var end: Int?
    for case .record(let record) in store.records(
      in: written.extent, scan: .plain, around: written.gaps)
    {
      if record.extent.end == log.end { return nil }
      if record.extent.end == displaced { end = displaced }
      if record.offset >= max(log.end, displaced) { break }
      let isAcross = record.offset < log.end && record.extent.end > log.end
      if isAcross, record.extent.end <= displaced { end = end ?? record.extent.end }
    }
    return end
  }

  /// `outcome` without what the power's failing has left of it half stored.
  private func withoutMissingPages(_ outcome: Outcome) -> Outcome {
    let pages = MissingPages(
      in: outcome.log, of: store, settledEnd: settledEnd,
      isCutOff: current.log == nil && outcome.isCutOff && outcome.log.end == area.end)
    var found = outcome
    found.gaps = pages.gaps(outcome.gaps)
    return found
  }

  /// `outcome` up to the first damage behind which only what the last full rewrite took over is left:
  /// there, what is left of the older log shows through.
  private func withoutOlder(_ outcome: Outcome) -> Outcome {
    guard let confirmed,
      let damage = outcome.gaps.first(where: { $0.extent.offset >= confirmedEnd })
    else { return outcome }
    let rest = Extent(area.file, damage.extent.offset..<outcome.log.end)
    let later = outcome.gaps.filter { $0.extent.offset >= rest.offset }
    guard
      RewriteAgreement(of: rest, around: later, in: store, with: confirmed.snapshot).isOlder
        || rest.offset == confirmedEnd
          && RewriteOriginals.begin(rest, around: later, in: store, of: confirmed.snapshot)
    else { return outcome }
    return Outcome(
      log: Extent(area.file, outcome.log.offset..<rest.offset),
      gaps: outcome.gaps.filter { $0.extent.offset < rest.offset }, isProven: false,
      isCutOff: true,
      message: "\(rest.offset - outcome.log.offset) bytes, to where an older log shows through")
  }

  private func outcome(
    _ log: Extent, isProven: Bool = false, isCutOff: Bool = false, _ message: String
  ) -> Outcome {
    // What a checksum proves, and what decodes to its end, is no damage, however odd it looks. Under a
    // cipher the checksum says nothing of the key and the vector.
    let isWhole = isProven && !store.isEncrypted && decodes(log)
    let gaps = isWhole ? [] : log == written.extent ? written.gaps : gaps(in: log)
    return Outcome(
      log: log, gaps: gaps, isProven: isProven, isCutOff: isCutOff, message: message)
  }

  /// Whether all of the log decodes as it stands.
  private func decodes(_ log: Extent) -> Bool {
    for case .gap in store.records(in: log, scan: .plain) { return false }
    return true
  }

  private func gaps(in log: Extent) -> [Gap] {
    guard settledEnd < log.end else { return [] }
    return store.gaps(in: Extent(log.file, max(settledEnd, log.offset)..<log.end))
  }

  /// The records from the log's start, or close behind it, to the first damage or the first hole.
  private struct Chain {
    var end: Int
    var isBroken = false
    /// Whether one of the records ends where the size field says that the log does.
    var meetsSize: Bool
  }

  private var chain: Chain {
    let start = written.extent.offset
    let sizeEnd = current.log?.end
    var chain = Chain(end: start, meetsSize: sizeEnd == start)
    var recordCount = 0
    for event in store.records(in: written.extent, scan: .plain, around: written.gaps) {
      switch event {
      case .record: recordCount += 1
      // A lone entry that was written over in place, with a shorter value.
      case .gap(let gap) where recordCount == 1 && store.isRewrittenInPlace:
        if let sizeEnd, gap.extent.offset < sizeEnd, sizeEnd <= gap.extent.end {
          chain.meetsSize = true
        }
      case .gap, .filler: break
      }
      if case .gap(let gap) = event, gap.extent.offset > start + Self.headCount {
        // A hole may be where nothing was written yet; other damage is damage.
        chain.isBroken = gap.cause != .zeros
        break
      }
      chain.end = event.extent.end
      if chain.end == sizeEnd { chain.meetsSize = true }
    }
    return chain
  }
}
