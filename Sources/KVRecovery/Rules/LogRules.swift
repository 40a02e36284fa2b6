package import KVModel

/// A rule that holds for the logs of all formats.
protocol LogRule: EvidenceRule {
  /// Returns what the rule concludes from the store as found and from what earlier rules concluded.
  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion]
}

/// The rules of all logs, in the order in which they run.
package enum LogRules {
  /// All rules: what kvfsck believes about damaged logs, whatever their format.
  package static var all: [any EvidenceRule.Type] {
    let run: [[any LogRule.Type]] = [
      claims, [ConfirmedLog.self], ends, bounds, compacted, torn, [RecordChecksums.self], records,
      lost,
      [NewerTail.self, BeforeReset.self],
    ]
    return run.joined().map { $0 as any EvidenceRule.Type } + [
      CorrectedRecord.self, CopyUnionRule.self,
    ]
  }

  /// Which log the store goes by; the first that concludes something decides.
  static let claims: [any LogRule.Type] = [LogChecksum.self, StatedLength.self]

  /// Where the log ends when that does not hold; the first that concludes something decides.
  static let ends: [any LogRule.Type] = [
    AlternateLength.self, ChecksumEnd.self, RecordEnd.self, BelievableLength.self, CutFile.self,
    BrokenChain.self,
  ]

  /// What else is known of the end, and of bytes that are no records.
  static let bounds: [any LogRule.Type] = [MissingPage.self, UnverifiedEnd.self, OlderLog.self]

  /// What an interrupted compaction has left, once the log has been read.
  static let compacted: [any LogRule.Type] = [InterruptedCompaction.self]

  /// Records that may be of two pieces, or none at all, in a log for which no checksum matches.
  static let torn: [any LogRule.Type] = [
    TornOverwrite.self, MixedRecord.self, ImplausibleRecord.self,
  ]

  /// What the entries of any log are worth.
  static let records: [any LogRule.Type] = [
    PartialChecksum.self, ContradictedRecord.self, Unverified.self,
    KeyLength.self, BeforeGap.self, ConfirmedPart.self, UncoveredBytes.self, Resynchronized.self,
  ]

  /// Entries whose own records are lost.
  static let lost: [any LogRule.Type] = [LeftoverRecords.self]
}
