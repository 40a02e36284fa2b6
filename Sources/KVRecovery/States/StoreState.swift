package import KVModel

/// One state of a store: the location of its log, its content, and the conclusions of the evidence
/// rules about it.
package struct StoreState: Sendable {
  /// The name of the state.
  package let name: StateName
  /// The state's log; `nil` if it has none.
  package let log: Extent?
  /// How strictly the log is scanned.
  let scan: ScanMode
  /// The gaps in the log.
  package var gaps: [Gap] { snapshot.gaps }
  /// The content of the log, and entries from elsewhere that belong to the state.
  package private(set) var snapshot: Snapshot
  /// The origin of the state, for people.
  package let message: String
  /// The conclusions of the rules, in the order in which the rules ran.
  package private(set) var conclusions: [Conclusion]
  /// The conclusions that limit the evidence of entries.
  private(set) var limits: [Conclusion]
  /// The number of entries whose value is missing.
  private var valuelessCount = 0
  /// The records of the entries that are more likely wrong than right and whose value is not missing.
  private var unlikely: Set<Record> = []
  /// The number of entries that are more likely wrong than right and whose value is not missing.
  var guessCount: Int { unlikely.count }
  /// The evidence for the log as a whole.
  private let logEvidence: Evidence
  /// The rules that determine the location of the log and its evidence.
  private let logRules: [RuleID]

  /// Creates the state of the log at `log`, which contains `snapshot`, from `conclusions`.
  init(
    _ name: StateName, log: Extent?, scan: ScanMode, _ snapshot: Snapshot,
    _ conclusions: [Conclusion], _ message: String
  ) {
    self.name = name
    self.log = log
    self.scan = scan
    self.snapshot = snapshot
    self.conclusions = conclusions
    self.message = message
    limits = conclusions.filter { $0.subject != nil }
    var evidence = Evidence.guess
    var rules: [RuleID] = []
    for conclusion in conclusions {
      switch conclusion.claim {
      case .state: evidence = max(evidence, conclusion.evidence)
      case .log: break
      default: continue
      }
      if !rules.contains(conclusion.rule) { rules.append(conclusion.rule) }
    }
    logEvidence = evidence
    logRules = rules
  }

  /// Returns the same state with the conclusions `found` added.
  func concluding(_ found: [Conclusion]) -> StoreState {
    var state = self
    state.conclusions += found
    state.limits += found.filter { $0.subject != nil }
    return state
  }

  /// Returns the same state with another snapshot, and with the conclusions `found` added.
  func holding(_ snapshot: Snapshot, _ found: [Conclusion]) -> StoreState {
    var state = concluding(found)
    state.snapshot = snapshot
    return state
  }

  /// Returns the same state of `store` with its entries counted: those whose value is missing, and
  /// those that a repair would set aside.
  ///
  /// - Precondition: No conclusion about its entries is missing.
  func counted<S: Store>(in store: S) -> StoreState {
    var state = self
    let live = snapshot.live
    func lacksValue(_ record: Record) -> Bool { store.reasonForNoValue(of: record) != nil }
    state.valuelessCount = store.keepsValuesElsewhere ? live.count(where: lacksValue) : 0
    if !isFreeOfDoubt, !live.isEmpty {
      state.unlikely = Set(
        Judgement(of: store, self).unlikely(among: live).filter { !lacksValue($0) })
    }
    return state
  }

  // MARK: Entries

  /// The live records that rules took from outside the log: from an older one, or from another copy; in
  /// the order of files and offsets.
  var takenRecords: [Record] {
    // The replay of a log has its records alone, and counts those that are not live.
    if snapshot.past != nil { return [] }
    let taken = log.map { log in snapshot.live.filter { !log.contains($0.extent) } }
    return (taken ?? snapshot.live).sorted {
      ($0.file.number, $0.offset) < ($1.file.number, $1.offset)
    }
  }

  /// The number of entries, without those whose value is missing.
  package var entryCount: Int { snapshot.live.count - valuelessCount }

  /// The number of entries, without those whose value is missing and with the guesses apart.
  package var entries: EntryCount {
    EntryCount(entries: entryCount - guessCount, guesses: guessCount)
  }

  /// Returns the keys of the entries whose value is missing.
  ///
  /// - Precondition: `store` is the store that has this state.
  func keysWithoutValue<S: Store>(in store: S) -> Set<Key> {
    guard valuelessCount > 0 else { return [] }
    return Set(
      snapshot.live.filter { store.reasonForNoValue(of: $0) != nil }
        .map { store.key(of: $0) })
  }

  /// Returns the evidence for the entry of `record`.
  ///
  /// In a damaged log, an entry has no better evidence than `structure` if later damage may hide a
  /// newer record of its key. This applies even if a matching checksum covers its own bytes.
  package func evidence(of record: Record) -> Evidence {
    var evidence = ground(of: record)
    for limit in limits where limit.evidence < evidence && limit.subject?.contains(record) == true {
      evidence = limit.evidence
    }
    return evidence
  }

  /// Returns whether a repair would set the entry of `record` aside.
  package func isUnlikely(_ record: Record) -> Bool { unlikely.contains(record) }

  /// Returns the faults of the entry of `record` that no checksum rules out.
  package func cautions(of record: Record) -> [Caution] {
    limits.isEmpty ? [] : assessment(of: record).cautions
  }

  /// Returns the evidence and cautions of the entry of `record`, and the rules that determined
  /// them.
  ///
  /// If no conclusion limits the record, nothing is allocated.
  package func assessment(of record: Record) -> Assessment {
    var assessment = self.assessment(of: record.integrity)
    assessment.limit(record, by: limits)
    return assessment
  }

  /// Returns the assessment of a record with this integrity that no conclusion limits.
  func assessment(of integrity: Record.Integrity) -> Assessment {
    let rules =
      switch integrity {
      case .verified: Self.verifiedRules
      case .corrected: Self.correctedRules
      case .unchecked, .contradicted: logRules
      }
    return Assessment(ground(of: integrity), by: rules)
  }

  /// Whether a conclusion limits the evidence of entries.
  var hasLimits: Bool { !limits.isEmpty }

  private static let verifiedRules = [RecordChecksums.id]
  private static let correctedRules = [CorrectedRecord.id]

  /// Returns the evidence for `record` before any conclusion limits it.
  private func ground(of record: Record) -> Evidence { ground(of: record.integrity) }

  private func ground(of integrity: Record.Integrity) -> Evidence {
    switch integrity {
    case .verified: .checksum
    case .corrected: .corrected
    case .contradicted: .structure
    case .unchecked: isSound ? logEvidence : .structure
    }
  }

  /// Returns whether something indicates damage to the entry of `record`.
  func isDoubted(_ record: Record) -> Bool {
    !isSound || limits.contains { $0.isDoubt && $0.subject?.contains(record) == true }
  }

  // MARK: The whole

  /// Returns whether the state is that of `log`, read without leaving anything out or finding
  /// anything elsewhere.
  func isReadWhole(_ log: Extent) -> Bool {
    name == .current && self.log == log && snapshot.gaps.isEmpty
  }

  /// Whether a checksum verifies the log as a whole.
  var isVerified: Bool { logEvidence >= .corrected }

  /// Whether the state is whole: a checksum matches over the log or over each record, and every
  /// byte decodes.
  package var isSound: Bool { isVerified && snapshot.gaps.isEmpty }

  /// Whether the checksum of some entry's own record does not match.
  var hasContradictedEntry: Bool { snapshot.live.contains { $0.integrity == .contradicted } }

  /// Whether the state is sound and no rule found a sign of damage to any of its entries.
  var isFreeOfDoubt: Bool { isSound && !limits.contains(where: \.isDoubt) }

  /// Whether records are missing at the end of the log.
  var isIncomplete: Bool {
    conclusions.contains { if case .incomplete = $0.claim { true } else { false } }
  }

  /// Whether bytes of the log cannot be read, or its end may be missing.
  var lacksBytes: Bool {
    !gaps.isEmpty
      || conclusions.contains {
        switch $0.claim {
        case .incomplete, .stale: true
        case .state, .log, .gap, .found, .limit, .uncovered: false
        }
      }
  }

  /// Returns the records that belong to the state but lie outside its log, according to `rule`.
  func records(by rule: any EvidenceRule.Type) -> [Record] {
    conclusions.flatMap { conclusion -> [Record] in
      guard conclusion.rule == rule.id, case .found(let records) = conclusion.claim else {
        return []
      }
      return records
    }
  }

  /// Returns the gap that `rule` has found; `nil` if it has found none.
  func gap(by rule: any EvidenceRule.Type) -> Gap? {
    for conclusion in conclusions where conclusion.rule == rule.id {
      if case .gap(let gap) = conclusion.claim { return gap }
    }
    return nil
  }

  /// Returns, for each gap of the snapshot, the rule that concluded last that it contains no record;
  /// `nil` for a gap that only results from how the format is read.
  func rulesOfGaps() -> [RuleID?] {
    let gaps = snapshot.gaps
    var rules = [RuleID?](repeating: nil, count: gaps.count)
    for conclusion in conclusions {
      guard case .gap(let claimed) = conclusion.claim else { continue }
      for index in gaps.indices(overlapping: claimed.extent) { rules[index] = conclusion.rule }
    }
    return rules
  }

  /// The rules that determined the state, in the order in which they ran.
  package var rules: [RuleID] {
    var rules: [RuleID] = []
    for conclusion in conclusions where !rules.contains(conclusion.rule) {
      rules.append(conclusion.rule)
    }
    return rules
  }

  /// The weakest evidence of any entry.
  ///
  /// Without entries, it is `checksum` if the state is verified, and otherwise `structure`.
  package var weakestEvidence: Evidence {
    // The integrity of records has few cases, and a limit applies as soon as it is about one
    // record.
    var kinds: [Record.Integrity] = []
    for record in snapshot.live where !kinds.contains(record.integrity) {
      kinds.append(record.integrity)
    }
    guard var weakest = kinds.map({ ground(of: $0) }).min() else { return evidenceWithoutEntries }
    for limit in limits where limit.evidence < weakest {
      if let subject = limit.subject, snapshot.live.contains(where: subject.contains) {
        weakest = limit.evidence
      }
    }
    return weakest
  }

  private var evidenceWithoutEntries: Evidence { isVerified ? .checksum : .structure }
}
