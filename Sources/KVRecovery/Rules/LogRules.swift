package import KVModel

/// A rule that applies to the logs of all formats.
protocol LogRule: EvidenceRule {
  /// Returns the rule's conclusions from the facts of `investigation`, including earlier
  /// conclusions.
  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion]
}

/// A step of an investigation: rules that need the same facts.
struct RuleStep {
  /// What is known of the log before a step, in order.
  enum Stage: Int, Comparable {
    /// At most where it is.
    case place
    /// Its records and gaps.
    case content
    /// Whether the store was in this state; if no rule says so, the one that located the log does.
    case state

    static func < (first: Stage, second: Stage) -> Bool { first.rawValue < second.rawValue }
  }

  let stage: Stage
  /// The states that are investigated with the step.
  let states: [StateName]
  let rules: [any LogRule.Type]
  /// Whether the first rule with a conclusion decides; otherwise, all rules apply.
  let isChoice: Bool

  private static let any = Array(StateName.allCases)

  /// A step in which all of `rules` apply.
  static func all(
    _ rules: any LogRule.Type..., of states: [StateName] = any, knowing stage: Stage
  ) -> RuleStep {
    RuleStep(stage: stage, states: states, rules: rules, isChoice: false)
  }

  /// A step in which the first of `rules` that has a conclusion decides.
  static func first(
    of rules: any LogRule.Type..., for states: [StateName]
  ) -> RuleStep {
    RuleStep(stage: .place, states: states, rules: rules, isChoice: true)
  }
}

/// The rules for logs, in the order in which they run.
package enum LogRules {
  /// All rules for damaged logs of any format.
  package static var all: [any EvidenceRule.Type] {
    run.flatMap(\.rules).map { $0 as any EvidenceRule.Type } + [
      CorrectedRecord.self, CopyUnionRule.self,
    ]
  }

  /// The steps of every investigation, each for some of the states.
  static let run: [RuleStep] = [
    .first(of: LogChecksum.self, StatedLength.self, for: [.current]),
    .all(ConfirmedLog.self, of: [.confirmed], knowing: .place),
    .first(
      of: AlternateLength.self, ChecksumEnd.self, RecordEnd.self, OutdatedLength.self,
      BelievableLength.self, CutFile.self, BrokenChain.self, for: [.salvaged]),
    .all(MissingPage.self, of: [.salvaged], knowing: .place),
    .all(UnverifiedEnd.self, of: [.current, .salvaged], knowing: .place),
    .all(OlderLog.self, of: [.salvaged], knowing: .place),
    .all(
      InterruptedCompaction.self, TornOverwrite.self, ImplausibleRecord.self, of: [.salvaged],
      knowing: .content),
    .all(BeforeReset.self, of: [.beforeReset], knowing: .content),
    .all(RecordChecksums.self, knowing: .content),
    .all(
      PartialChecksum.self, ContradictedRecord.self, Unverified.self, RewrittenSince.self,
      KeyLength.self, BeforeGap.self, ConfirmedPart.self, UncoveredBytes.self, Resynchronized.self,
      knowing: .state),
    .all(LeftoverRecords.self, of: [.salvaged], knowing: .state),
  ]
}
