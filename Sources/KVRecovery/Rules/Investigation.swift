import KVModel

/// The facts about one state of a store that the rules examine: the store, the claims of its
/// fields, and the conclusions of earlier rules.
struct Investigation<S: Store> {
  let store: S
  /// The state that is investigated.
  let name: StateName
  /// The store's claim about the log; `nil` if there is none.
  let lengthClaim: LengthClaim?
  /// The part of the log that the checksum of the last full rewrite covers, if it matches.
  let confirmedLog: Extent?
  /// The log after the last full rewrite; `nil` if it has no records or its checksum does not
  /// match.
  let confirmed: StoreState?
  /// Whether the log that `lengthClaim` states decodes without gaps up to its end, and all entries in
  /// it are plausible.
  let isWhole: Bool
  /// The bytes that contain the log, without the part that was never written to.
  let written: WrittenArea
  /// The current state, if the investigation is about another state and needs it.
  let current: StoreState?
  /// The area in which the log lies.
  let area: Extent
  /// The offset up to which a checksum shows that nothing is damaged, so that no gaps are searched
  /// for.
  let settledEnd: Int

  /// The conclusions so far, in the order in which the rules ran.
  private(set) var conclusions: [Conclusion] = []
  /// The log, once a rule has concluded where it is.
  private(set) var log: Extent?
  /// The gaps in the log, which are skipped.
  private(set) var gaps: [Gap] = []
  /// The records in the written bytes, if the end of the log is searched for among them.
  let records: WrittenRecords?
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
    isWhole =
      !store.traits.hasRecordChecksums
      && lengthClaim.log.map { $0.count > 0 && current.isReadWhole($0) } == true
      && store.implausible(current.snapshot.live).isEmpty
    written = WrittenArea(
      area, of: store, settled: settledEnd, boundary: isWhole ? lengthClaim.log?.end : nil)
    records = WrittenRecords(of: store, in: written, lengthClaim)
  }

  /// Creates an investigation of a known log, `written`, which contains `snapshot` and which
  /// `lengthClaim` is about.
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
    isWhole = false
    area = written.extent
    settledEnd = area.offset
    records = nil
    log = written.extent
    gaps = written.gaps
    isRead = true
  }

  /// The end of the last full rewrite; the start of the area if it is unknown.
  var confirmedEnd: Int { confirmed?.log?.end ?? area.offset }

  /// Whether a stored checksum determines the end of the log.
  var isEndShown: Bool { end?.evidence ?? .guess >= .corrected }

  /// Whether records are missing at the end of the log.
  var isIncomplete: Bool {
    conclusions.contains { if case .incomplete = $0.claim { true } else { false } }
  }

  /// Whether the newest records may be stale, because the end of the log is not certain.
  var isEndUnverified: Bool {
    conclusions.contains { if case .stale = $0.claim { true } else { false } }
  }

  /// Whether the state is whole: a checksum matches over the log or over each record, and every
  /// byte decodes.
  var isSound: Bool { ground?.evidence ?? .guess >= .corrected && snapshot.gaps.isEmpty }

  /// Whether a checksum should match over the log, but does not.
  var isUnverified: Bool {
    !isSound && !isEndShown && (name != .current || lengthClaim?.checksum != nil)
  }

  /// Returns whether `rule` has drawn a conclusion.
  func holds(_ rule: any EvidenceRule.Type) -> Bool {
    conclusions.contains { $0.rule == rule.id }
  }

  /// Returns whether the checksum of the last full rewrite shows that `record` is unchanged.
  func isSettled(_ record: Record) -> Bool {
    confirmedLog?.contains(record.extent) == true
      && store.traits.uncovered?.overlaps(record.extent) != true
  }

  /// The last conclusion about the location of the log.
  private var end: Conclusion? {
    conclusions.last { if case .log = $0.claim { true } else { false } }
  }

  /// The conclusion that the store was in this state.
  private var ground: Conclusion? {
    conclusions.first { if case .state = $0.claim { true } else { false } }
  }

  // MARK: Following rules

  /// Adds the conclusions of the rules about this state, in the order of ``LogRules/run``.
  mutating func run() {
    for step in LogRules.run where step.states.contains(name) {
      if step.stage >= .content, !isRead { read() }
      if step.stage == .state { settle() }
      for rule in step.rules {
        let found = rule.conclusions(self)
        accept(found)
        if step.isChoice, !found.isEmpty { break }
      }
    }
  }

  /// Adds `found`, and reads the log again if its extent or its gaps have changed.
  mutating func accept(_ found: [Conclusion]) {
    let before = (log, gaps)
    // There can be as many gaps as records.
    var others: [Gap] = []
    for conclusion in found {
      conclusions.append(conclusion)
      switch conclusion.claim {
      case .log(let extent):
        gaps = gaps.overlaid(with: others)
        others = []
        setLog(extent, conclusion.evidence)
      case .gap(let gap): others.append(gap)
      case .found(let records): snapshot = snapshot.adding(records)
      case .state, .incomplete, .limit, .uncovered, .stale: break
      }
    }
    gaps = gaps.overlaid(with: others)
    if isRead, before != (log, gaps) { read() }
  }

  /// Reads the log around its gaps.
  private mutating func read() {
    guard let log else { return }
    // With checksums of its own, a record can be another one under the engine's limits.
    if gaps.isEmpty, !store.traits.hasRecordChecksums, let current, current.isReadWhole(log) {
      snapshot = current.snapshot
    } else {
      snapshot = Replay(scan: .plain, around: gaps).snapshot(of: store, log: log)
    }
    isRead = true
  }

  private mutating func setLog(_ extent: Extent, _ evidence: Evidence) {
    if log == nil {
      // If a checksum matches and everything decodes, nothing is damaged, even if it is
      // implausible.
      let isWhole = evidence >= .corrected && store.isDecodedForSure(extent) && decodes(extent)
      gaps = isWhole ? [] : extent == written.extent ? written.gaps : gaps(in: extent)
    } else if log != extent {
      gaps.removeAll { $0.extent.offset >= extent.end }
    }
    log = extent
  }

  /// Returns whether the whole log decodes without gaps.
  private func decodes(_ log: Extent) -> Bool {
    for case .gap in store.records(in: log, scan: .plain) { return false }
    return true
  }

  private func gaps(in log: Extent) -> [Gap] {
    guard settledEnd < log.end else { return [] }
    return store.gaps(in: Extent(log.file, max(settledEnd, log.offset)..<log.end))
  }

  // MARK: The state

  /// Concludes that the store was in this state because of the rule that located the log, if no other
  /// rule has said so.
  private mutating func settle() {
    guard ground == nil, let end else { return }
    accept([Conclusion(.state, by: end.rule, isEndUnverified ? .structure : end.evidence)])
  }

  /// Returns the state that the conclusions describe.
  func state(scan: ScanMode = .plain) -> StoreState {
    StoreState(name, log: log, scan: scan, snapshot, conclusions, end?.reason ?? "")
  }
}

extension Snapshot {
  /// Returns the snapshot with `records` added, which are live but lie outside the log.
  fileprivate func adding(_ records: [Record]) -> Snapshot {
    Snapshot(
      live: live + records, recordCount: recordCount, gaps: gaps, bytes: bytes,
      contradicted: contradicted)
  }
}
