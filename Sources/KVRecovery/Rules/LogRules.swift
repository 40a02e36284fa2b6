package import KVModel

/// A rule that applies to the logs of all formats.
protocol LogRule: EvidenceRule {
  /// Returns the rule's conclusions from the facts of `investigation`, including earlier
  /// conclusions.
  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion]
}

/// The rules for logs, in the order in which they run.
package enum LogRules {
  /// All rules for damaged logs of any format.
  package static var all: [any EvidenceRule.Type] {
    let run: [[any LogRule.Type]] = [
      claims, [ConfirmedLog.self, AlternateLength.self], ends, bounds, compacted, torn,
      [RecordChecksums.self], records, lost,
      [BeforeReset.self],
    ]
    return run.joined().map { $0 as any EvidenceRule.Type } + [
      CorrectedRecord.self, CopyUnionRule.self,
    ]
  }

  /// The rules for the log that the store uses; the first one with a conclusion decides.
  static let claims: [any LogRule.Type] = [LogChecksum.self, StatedLength.self]

  /// The rules for the end of the log if no claim leads to a whole log; the first one with a
  /// conclusion decides.
  static let ends: [any LogRule.Type] = [
    ChecksumEnd.self, RecordEnd.self, OutdatedLength.self, BelievableLength.self, CutFile.self,
    BrokenChain.self,
  ]

  /// The rules for further facts about the end, and for bytes that are not records.
  static let bounds: [any LogRule.Type] = [MissingPage.self, UnverifiedEnd.self, OlderLog.self]

  /// The rule for the remains of an interrupted compaction, once the log has been read.
  static let compacted: [any LogRule.Type] = [InterruptedCompaction.self]

  /// The rules for records that may be torn, or may not be records, in a log for which no checksum
  /// matches.
  static let torn: [any LogRule.Type] = [
    TornOverwrite.self, ImplausibleRecord.self,
  ]

  /// The rules for the evidence of entries.
  static let records: [any LogRule.Type] = [
    PartialChecksum.self, ContradictedRecord.self, Unverified.self, RewrittenSince.self,
    KeyLength.self, BeforeGap.self, ConfirmedPart.self, UncoveredBytes.self, Resynchronized.self,
  ]

  /// The rule for entries whose own records are lost.
  static let lost: [any LogRule.Type] = [LeftoverRecords.self]
}
