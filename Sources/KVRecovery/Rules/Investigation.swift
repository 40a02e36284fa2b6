import KVModel

/// The facts about one state of a store while the rules run: the store as found, the claims of its
/// fields, and the conclusions of earlier rules.
struct Investigation<S: Store> {
  let store: S
  /// The state that is investigated.
  let name: StateName
  /// The store's claim about the log.
  let lengthClaim: LengthClaim?
  /// The part of the log that the checksum of the last full rewrite covers, if it matches.
  let confirmedLog: Extent?
  /// The log as the last full rewrite left it, if that has records.
  let confirmed: StoreState?
  /// The bytes in which the log lies, as far as they were ever written to.
  let written: WrittenArea
  /// The state that the store itself uses, if that is another one and known.
  let current: StoreState?
  /// The area in which those bytes could end.
  let area: Extent
  /// The offset up to which a checksum shows that nothing was damaged, so that there is nothing to
  /// read around.
  let settledEnd: Int

  /// What the rules have concluded so far.
  private(set) var conclusions: [Conclusion] = []
  /// The log, once a rule has concluded where it is.
  private(set) var log: Extent?
  /// The bytes of the log that are read around.
  private(set) var gaps: [Gap] = []
  /// The content of the log, once it has been read.
  private(set) var snapshot: Snapshot = .empty
  private var isRead = false

  /// Creates an investigation that looks for a log in `area`, which `lengthClaim` is about.
  init(
    _ store: S, _ name: StateName, in area: Extent, _ lengthClaim: LengthClaim,
    confirmedLog: Extent?, _ confirmed: StoreState?, current: StoreState
  ) {
    self.store = store
    self.name = name
    self.area = area
    self.lengthClaim = lengthClaim
    self.confirmedLog = confirmedLog
    self.confirmed = confirmed
    self.current = current
    let isSettled = confirmed?.snapshot.gaps.isEmpty == true && confirmed?.log?.file == area.file
    settledEnd = isSettled ? confirmed?.log?.end ?? area.offset : area.offset
    written = WrittenArea(area, of: store, settled: settledEnd)
  }

  /// Creates an investigation of a known log: `written`, which `lengthClaim` is about and which
  /// holds `snapshot`.
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

  /// The end of the last full rewrite; the start of the area if it is unknown.
  var confirmedEnd: Int { confirmed?.log?.end ?? area.offset }

  /// Whether a stored checksum shows where the log ends.
  var isEndShown: Bool { end?.evidence ?? .guess >= .corrected }

  /// Whether records are missing at the end of the log.
  var isIncomplete: Bool {
    conclusions.contains { if case .incomplete = $0.claim { true } else { false } }
  }

  /// Whether the newest records may be stale, because nothing shows for certain where the log ends.
  var isEndUnverified: Bool {
    conclusions.contains { if case .stale = $0.claim { true } else { false } }
  }

  /// Whether the state is whole: a checksum matches over the log or over each record, and every byte
  /// decodes.
  var isSound: Bool { ground?.evidence ?? .guess >= .corrected && snapshot.gaps.isEmpty }

  /// Whether the checksum that should be over the log does not match.
  var isUnverified: Bool {
    !isSound && !isEndShown && (name != .current || lengthClaim?.checksum != nil)
  }

  /// Returns whether one of the rules that have drawn conclusions so far is `rule`.
  func holds(_ rule: any EvidenceRule.Type) -> Bool {
    conclusions.contains { $0.rule == rule.id }
  }

  /// Returns whether the checksum of the last full rewrite shows that `record` is as it was stored.
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

  /// Adds the conclusions of `rules`, one rule after the other.
  mutating func follow(_ rules: [any LogRule.Type]) {
    for rule in rules { accept(rule.conclusions(self)) }
  }

  /// Adds the conclusions of the first of `rules` that has any.
  mutating func followFirst(of rules: [any LogRule.Type]) {
    for rule in rules {
      let found = rule.conclusions(self)
      guard found.isEmpty else { return accept(found) }
    }
  }

  /// Adds `found`, and reads the log again if they change it.
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
    if gaps.isEmpty, let current, current.isReadWhole(log) {
      snapshot = current.snapshot
    } else {
      snapshot = Replay(scan: .plain, around: gaps).snapshot(of: store, log: log)
    }
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

  /// Returns whether all of the log decodes as it is.
  private func decodes(_ log: Extent) -> Bool {
    for case .gap in store.records(in: log, scan: .plain) { return false }
    return true
  }

  private func gaps(in log: Extent) -> [Gap] {
    guard settledEnd < log.end else { return [] }
    return store.gaps(in: Extent(log.file, max(settledEnd, log.offset)..<log.end))
  }

  // MARK: The state

  /// Concludes that the store was in the state, from the checksums that show it, or from the rule
  /// that located the log.
  mutating func settle() {
    let byRecords = RecordChecksums.conclusions(self)
    if !byRecords.isEmpty { return accept(byRecords) }
    guard let end else { return }
    accept([Conclusion(.state, by: end.rule, isEndUnverified ? .structure : end.evidence)])
  }

  /// Returns the state that the conclusions describe.
  func state(scan: ScanMode = .plain) -> StoreState {
    StoreState(name, log: log, scan: scan, snapshot, conclusions, end?.reason ?? "")
  }
}

extension Snapshot {
  /// Returns the snapshot with `records` added, which are live but lie elsewhere.
  fileprivate func adding(_ records: [Record]) -> Snapshot {
    Snapshot(
      live: live + records, recordCount: recordCount, gaps: gaps, bytes: bytes,
      contradicted: contradicted)
  }
}
