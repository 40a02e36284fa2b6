package import KVModel

/// One state of a store: where its log is, what it holds, and what the evidence rules concluded of it.
package struct StoreState: Sendable {
  /// Which state it is.
  package let name: StateName
  /// Its log; `nil` for a state without one.
  package let log: Extent?
  /// How strictly the log is scanned.
  package let scan: ScanMode
  /// The bytes of it that are left out.
  package var gaps: [Gap] { snapshot.gaps }
  /// What it holds.
  package private(set) var snapshot: Snapshot
  /// Where it comes from, for people.
  package let message: String
  /// What the rules concluded, in the order in which they ran.
  package private(set) var conclusions: [Conclusion]
  /// Those conclusions that limit what entries are worth.
  private(set) var limits: [Conclusion]
  /// The evidence that the log as a whole has.
  private let logEvidence: Evidence
  /// The rules that say where the log is and what it is worth.
  private let logRules: [RuleID]

  /// The state of the log at `log`, which holds `snapshot`, after `conclusions`.
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

  /// The state with what `found` concludes in addition.
  func concluding(_ found: [Conclusion]) -> StoreState {
    var state = self
    state.conclusions += found
    state.limits += found.filter { $0.subject != nil }
    return state
  }

  /// The state with `snapshot` in the place of its own, by what `found` concludes.
  func holding(_ snapshot: Snapshot, _ found: [Conclusion]) -> StoreState {
    var state = concluding(found)
    state.snapshot = snapshot
    return state
  }

  // MARK: Entries

  /// What speaks for the entry of `record`.
  ///
  /// Under a damaged log no entry is better than `structure` where damage after it may hide a newer
  /// record of its key, though its own bytes lie under a checksum that matches.
  package func evidence(of record: Record) -> Evidence {
    var evidence = ground(of: record)
    for limit in limits where limit.evidence < evidence && limit.subject?.contains(record) == true {
      evidence = limit.evidence
    }
    return evidence
  }

  /// What no checksum can exclude about the entry of `record`.
  package func cautions(of record: Record) -> [Caution] {
    limits.isEmpty ? [] : assessment(of: record).cautions
  }

  /// What the entry of `record` is worth, and the rules that decided it.
  ///
  /// Where no conclusion limits the record, nothing is allocated.
  package func assessment(of record: Record) -> Assessment {
    let rules =
      switch record.integrity {
      case .verified: Self.verifiedRules
      case .corrected: Self.correctedRules
      case .unchecked, .contradicted: logRules
      }
    var assessment = Assessment(ground(of: record), by: rules)
    assessment.limit(record, by: limits)
    return assessment
  }

  private static let verifiedRules = [RecordChecksums.id]
  private static let correctedRules = [CorrectedRecord.id]

  /// What speaks for `record` before anything limits it.
  private func ground(of record: Record) -> Evidence { ground(of: record.integrity) }

  private func ground(of integrity: Record.Integrity) -> Evidence {
    switch integrity {
    case .verified: .checksum
    case .corrected: .corrected
    case .contradicted: .structure
    case .unchecked: isSound ? logEvidence : .structure
    }
  }

  /// Whether there is a sign of damage that concerns the entry of `record`.
  func isDoubted(_ record: Record) -> Bool {
    !isSound || limits.contains { $0.isDoubt && $0.subject?.contains(record) == true }
  }

  // MARK: The whole

  /// Whether a checksum shows that this is the log, whole.
  var isVerified: Bool { logEvidence >= .corrected }

  /// Whether the state is whole: a checksum matches over the log or over each record, and every byte
  /// decodes.
  package var isSound: Bool { isVerified && snapshot.gaps.isEmpty }

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

  /// The records that belong to the state and do not lie in its log, by what `rule` concluded.
  func records(by rule: any EvidenceRule.Type) -> [Record] {
    conclusions.flatMap { conclusion -> [Record] in
      guard conclusion.rule == rule.id, case .found(let records) = conclusion.claim else {
        return []
      }
      return records
    }
  }

  /// The bytes that are no record, by what `rule` concluded.
  func gap(by rule: any EvidenceRule.Type) -> Gap? {
    for conclusion in conclusions where conclusion.rule == rule.id {
      if case .gap(let gap) = conclusion.claim { return gap }
    }
    return nil
  }

  /// The rule that concluded that the bytes of `gap` are no record; `nil` if it is how the format reads.
  func rule(of gap: Gap) -> RuleID? {
    conclusions.last {
      if case .gap(let other) = $0.claim { other.extent.overlaps(gap.extent) } else { false }
    }?.rule
  }

  /// The rules that decided the state, in the order in which they ran.
  package var rules: [RuleID] {
    var rules: [RuleID] = []
    for conclusion in conclusions where !rules.contains(conclusion.rule) {
      rules.append(conclusion.rule)
    }
    return rules
  }

  /// The weakest evidence of its entries; `checksum` for a verified state without entries.
  package var weakestEvidence: Evidence {
    // The records' own checksums are of few kinds, and a limit counts as soon as it is about one record.
    var kinds: Set<Record.Integrity> = []
    var last: Record.Integrity?
    for record in snapshot.live where record.integrity != last {
      kinds.insert(record.integrity)
      last = record.integrity
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
