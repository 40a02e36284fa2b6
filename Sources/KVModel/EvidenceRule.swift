/// The stable name of an evidence rule, such as `log.newer-tail`.
package struct RuleID: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The name.
  package let text: String

  /// Creates the name `value`.
  package init(stringLiteral value: String) { text = value }
}

/// A rule by which kvfsck draws conclusions from damaged bytes.
///
/// All rules are in ordered lists. A format lists its own rules, and `KVRecovery` lists the rules
/// for all logs. The table in `Docs/RULES.md` and `kvfsck explain` are generated from the lists.
package protocol EvidenceRule: SendableMetatype {
  /// The stable name.
  static var id: RuleID { get }
  /// What the rule requires, for people.
  static var premise: String { get }
  /// What the rule concludes from that, for people.
  static var conclusion: String { get }
  /// The best evidence that the rule's conclusion can give an entry.
  static var ceiling: Evidence { get }
  /// When it is wrong, and how often, as far as that has been measured.
  static var failure: String { get }
}

/// The records that a conclusion is about.
package enum Subject: Sendable {
  /// The records that begin in an extent.
  case beginning(in: Extent)
  /// The records that lie within an extent.
  case within(Extent)
  /// The records that share a byte with an extent.
  case overlapping(Extent)
  /// The records that begin in an extent, do not lie within `outside`, and have no checksum of
  /// their own that covers all of them.
  case unchecked(in: Extent, outside: Extent?)
  /// The records that begin in an extent and whose own checksum does not match.
  case contradicted(in: Extent)
  /// These records.
  case records(Set<Record>)

  /// Returns whether the conclusion is about `record`.
  package func contains(_ record: Record) -> Bool {
    switch self {
    case .beginning(let extent): record.begins(in: extent)
    case .within(let extent): extent.contains(record.extent)
    case .overlapping(let extent): extent.overlaps(record.extent)
    case .unchecked(let extent, let outside):
      record.integrity == .unchecked && record.begins(in: extent)
        && outside?.contains(record.extent) != true
    case .contradicted(let extent):
      record.integrity == .contradicted && record.begins(in: extent)
    case .records(let records): records.contains(record)
    }
  }
}

extension Record {
  fileprivate func begins(in extent: Extent) -> Bool {
    file == extent.file && extent.range.contains(offset)
  }
}

/// The conclusion of a rule about a state of a store.
package struct Conclusion: Sendable {
  /// What is concluded.
  package enum Claim: Sendable {
    /// The store was in this state, and the evidence is that of its log.
    case state
    /// The log is these bytes.
    case log(Extent)
    /// The end of the log is missing, and newer values may be missing with it.
    case incomplete(Extent)
    /// These bytes are not a record.
    case gap(Gap)
    /// These records belong to the state, although they are not in its log.
    case found([Record])
    /// These records have no better evidence than the conclusion, because something indicates
    /// damage.
    case limit(Subject, [Caution])
    /// These records have no better evidence than the conclusion, because no checksum covers all of
    /// them.
    case uncovered(Subject, [Caution])
    /// A newer value of the keys of these records may be missing.
    case stale(Subject)
  }

  /// What is concluded.
  package let claim: Claim
  /// The rule that concludes it.
  package let rule: RuleID
  /// The best evidence that an entry can have under the conclusion.
  package let evidence: Evidence
  /// The facts that support the conclusion, for people; empty if the rule itself says everything.
  package let reason: String

  /// Creates a conclusion of the rule called `rule`.
  package init(_ claim: Claim, by rule: RuleID, _ evidence: Evidence, _ reason: String = "") {
    self.claim = claim
    self.rule = rule
    self.evidence = evidence
    self.reason = reason
  }

  /// Creates a conclusion of `rule`, with evidence no better than the ceiling of the rule.
  package init(
    _ claim: Claim, by rule: any EvidenceRule.Type, _ evidence: Evidence = .checksum,
    _ reason: String = ""
  ) {
    self.init(claim, by: rule.id, min(evidence, rule.ceiling), reason)
  }

  /// The records whose evidence the conclusion limits; `nil` if it limits none.
  package var subject: Subject? {
    switch claim {
    case .limit(let subject, _), .uncovered(let subject, _), .stale(let subject): subject
    case .incomplete(let log): .beginning(in: log)
    case .state, .log, .gap, .found: nil
    }
  }

  /// The faults of those records that no checksum rules out.
  var cautions: [Caution] {
    switch claim {
    case .limit(_, let cautions), .uncovered(_, let cautions): cautions
    case .stale, .incomplete: Self.stale
    case .state, .log, .gap, .found: []
    }
  }

  /// Whether the conclusion indicates damage to the entries that it is about.
  package var isDoubt: Bool {
    if case .uncovered = claim { return false }
    return !cautions.isEmpty
  }

  private static let stale = [Caution.mayBeStale]
}

/// The evidence and cautions of an entry, and the rules that determined them.
package struct Assessment: Hashable, Sendable {
  /// The evidence for the entry.
  package private(set) var evidence: Evidence
  /// The faults that no checksum rules out.
  package private(set) var cautions: [Caution]
  /// The rules that determined them, in the order in which they ran.
  package private(set) var rules: [RuleID]
  /// The probability that the entry is right; `nil` if it was not weighed.
  package var probability: Probability?

  /// Creates an assessment.
  package init(_ evidence: Evidence, _ cautions: [Caution] = [], by rules: [RuleID] = []) {
    self.evidence = evidence
    self.cautions = cautions
    self.rules = rules
  }

  /// Whether a checksum verifies the entry, and nothing speaks against it.
  package var isSound: Bool {
    evidence == .checksum && cautions.isEmpty && probability ?? .most == .most
  }

  /// Whether what looks like the entry's key is one, and not a part of a value.
  package var isOfSureKey: Bool { evidence != .guess && !cautions.contains(.mayBeDamaged) }
  /// Whether the entry is more likely wrong than right.
  package var isUnlikely: Bool { probability.map { $0 < .evenOdds } ?? (evidence == .guess) }

  /// Lowers the evidence as required by those of `conclusions` that are about `record`, and adds
  /// their cautions.
  package mutating func limit(_ record: Record, by conclusions: [Conclusion]) {
    for conclusion in conclusions where conclusion.subject?.contains(record) == true {
      evidence = min(evidence, conclusion.evidence)
      for caution in conclusion.cautions where !cautions.contains(caution) {
        cautions.insert(caution, at: caution == .mayBeDamaged ? 0 : cautions.count)
      }
      if !rules.contains(conclusion.rule) { rules.append(conclusion.rule) }
    }
  }
}
