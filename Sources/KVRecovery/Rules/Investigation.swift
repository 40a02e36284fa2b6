import KVModel

/// What is known of one state of a store while the rules run: the store as found, what its fields claim,
/// and what earlier rules concluded.
struct Investigation<S: Store> {
  let store: S
  /// The state that is looked into.
  let name: StateName
  /// What the store claims of the log.
  let lengthClaim: LengthClaim?
  /// The part of the log that the checksum of the last full rewrite covers, where that matches.
  let confirmedLog: Extent?
  /// The log as the last full rewrite left it, where that has records.
  let confirmed: StoreState?
  /// The bytes in which the log lies, as far as they were ever written.
  let written: WrittenArea
  /// The state that the store goes by, where that is another one and known.
  let current: StoreState?
  /// Where those bytes could end.
  let area: Extent
  /// Up to where a checksum says that nothing was damaged: there is nothing to be read around.
  let settledEnd: Int

  /// What the rules have concluded so far.
  private(set) var conclusions: [Conclusion] = []
  /// The log, as soon as a rule has concluded where it is.
  private(set) var log: Extent?
  /// The bytes of it that are read around.
  private(set) var gaps: [Gap] = []
  /// What it holds, once it has been read.
  private(set) var snapshot: Snapshot = .empty
  private var isRead = false

  /// An investigation that looks for a log in `area`, which `lengthClaim` is about.
  init(
    _ store: S, _ name: StateName, in area: Extent, _ lengthClaim: LengthClaim,
    confirmedLog: Extent?,
    _ confirmed: StoreState?
  ) {
    self.store = store
    self.name = name
    self.area = area
    self.lengthClaim = lengthClaim
    self.confirmedLog = confirmedLog
    self.confirmed = confirmed
    current = nil
    let isSettled = confirmed?.snapshot.gaps.isEmpty == true && confirmed?.log?.file == area.file
    settledEnd = isSettled ? confirmed?.log?.end ?? area.offset : area.offset
    written = WrittenArea(area, of: store, settled: settledEnd)
  }

  /// An investigation of a log that is known: `written`, which `lengthClaim` is about and which holds
  /// `snapshot`.
  init(
    _ store: S, _ name: StateName, of written: WrittenArea, _ lengthClaim: LengthClaim? = nil,
    confirmedLog: Extent? = nil, _ confirmed: StoreState? = nil, current: StoreState? = nil,
    holding snapshot: Snapshot
  ) {
    self.store = store
    self.name = name
    self.written = written
    self.lengthClaim = lengthClaim
    self.confirmedLog = confirmedLog
    self.confirmed = confirmed
    self.current = current
    self.snapshot = snapshot
    area = written.extent
    settledEnd = area.offset
    log = written.extent
    gaps = written.gaps
    isRead = true
  }

  /// Where the last full rewrite ended; the start of the area where that is not known.
  var confirmedEnd: Int { confirmed?.log?.end ?? area.offset }

  /// Whether a stored checksum shows where the log ends.
  var isEndShown: Bool { end?.evidence ?? .guess >= .corrected }

  /// Whether records are missing at its end.
  var isIncomplete: Bool {
    conclusions.contains { if case .incomplete = $0.claim { true } else { false } }
  }

  /// Whether its newest records may be older ones, because nothing shows for sure where it ends.
  var isEndUnverified: Bool {
    conclusions.contains { if case .stale = $0.claim { true } else { false } }
  }

  /// Whether the state is whole: a checksum matches over the log or over each record, and every byte
  /// decodes.
  var isSound: Bool { ground?.evidence ?? .guess >= .corrected && snapshot.gaps.isEmpty }

  /// Whether a checksum that there should be over the log does not match.
  var isUnverified: Bool {
    !isSound && !isEndShown && (name != .current || lengthClaim?.checksum != nil)
  }

  /// Whether one of the rules concluded so far is `rule`.
  func holds(_ rule: any EvidenceRule.Type) -> Bool {
    conclusions.contains { $0.rule == rule.id }
  }

  /// Whether the checksum of the last full rewrite says that `record` is as it was stored.
  func isSettled(_ record: Record) -> Bool {
    confirmedLog?.contains(record.extent) == true
      && store.traits.uncovered?.overlaps(record.extent) != true
  }

  /// The last conclusion about where the log is.
  private var end: Conclusion? {
    conclusions.last { if case .log = $0.claim { true } else { false } }
  }

  /// The conclusion that the store was in the state.
  private var ground: Conclusion? {
    conclusions.first { if case .state = $0.claim { true } else { false } }
  }

  // MARK: Following rules

  /// Takes in what `rules` conclude, one after the other.
  mutating func follow(_ rules: [any LogRule.Type]) {
    for rule in rules { accept(rule.conclusions(self)) }
  }

  /// Takes in what the first of `rules` concludes that concludes anything.
  mutating func followFirst(of rules: [any LogRule.Type]) {
    for rule in rules {
      let found = rule.conclusions(self)
      guard found.isEmpty else { return accept(found) }
    }
  }

  /// Takes in `found`, and reads the log anew where it changes that.
  mutating func accept(_ found: [Conclusion]) {
    let before = (log, gaps)
    for conclusion in found {
      conclusions.append(conclusion)
      switch conclusion.claim {
      case .log(let extent): setLog(extent, conclusion.evidence)
      case .gap(let gap):
        gaps.removeAll { $0.extent.overlaps(gap.extent) }
        gaps.insert(gap, at: gaps.firstIndex { $0.extent.offset > gap.extent.offset } ?? gaps.count)
      case .found(let records): snapshot = snapshot.adding(records)
      case .state, .incomplete, .limit, .uncovered, .stale: break
      }
    }
    if isRead, before != (log, gaps) { read() }
  }

  /// Reads the log around its gaps.
  mutating func read() {
    guard let log else { return }
    snapshot = Replay(scan: .plain, around: gaps).snapshot(of: store, log: log)
    isRead = true
  }

  private mutating func setLog(_ extent: Extent, _ evidence: Evidence) {
    if log == nil {
      // What a checksum proves, and what decodes to its end, is no damage, however odd it looks. Under a
      // cipher the checksum says nothing of the key and the vector.
      let isWhole = evidence >= .corrected && !store.isEncrypted && decodes(extent)
      gaps = isWhole ? [] : extent == written.extent ? written.gaps : gaps(in: extent)
    } else if log != extent {
      gaps.removeAll { $0.extent.offset >= extent.end }
    }
    log = extent
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

  // MARK: The state

  /// Concludes that the store was in the state, by the checksums that show it, or by what says where
  /// the log is.
  mutating func settle() {
    let byRecords = RecordChecksums.conclusions(self)
    if !byRecords.isEmpty { return accept(byRecords) }
    guard let end else { return }
    accept([Conclusion(.state, by: end.rule, isEndUnverified ? .structure : end.evidence)])
  }

  /// The state that the conclusions describe.
  func state(scan: ScanMode = .plain) -> StoreState {
    StoreState(name, log: log, scan: scan, snapshot, conclusions, end?.reason ?? "")
  }
}

extension Snapshot {
  /// The snapshot with `records` that are live, and lie elsewhere.
  fileprivate func adding(_ records: [Record]) -> Snapshot {
    Snapshot(
      live: live + records, recordCount: recordCount, gaps: gaps, bytes: bytes,
      contradicted: contradicted)
  }
}
