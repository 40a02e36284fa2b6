package import KVModel

/// The verdict on the length in a header, and where the log ends instead.
package struct LengthJudgement: Sendable {
  /// What is wrong with the length, if anything.
  package enum Verdict: Hashable, Sendable {
    /// The length ends after a record, and there is no evidence against it.
    case fits
    /// The length ends after a record, but this many records after it, which would change these
    /// keys, may or may not belong to the log; if that is likelier, it ends after them.
    case undecided(Set<Key>, recordCount: Int)
    /// The length is 0, but there are whole records.
    case emptied
    /// The length does not end at a record.
    case betweenBoundaries
    /// This many whole records after the length belong to the log.
    case tooShort(recordCount: Int)
    /// The log, by its length, includes leftovers from before a compaction.
    case tooLong
    /// The length is beyond the end of the file.
    case beyondFile
  }

  /// The evidence for where the log ends, if not its length.
  package enum Basis: Hashable, Sendable {
    /// The low half of the length.
    case lowHalf
    /// The length with one bit changed back.
    case oneBit
    /// The records.
    case records

    /// A description for people to read, without an article.
    var origin: String {
      switch self {
      case .lowHalf: "low half of the length in the header"
      case .oneBit: "length in the header with one bit flipped, where a record ends"
      case .records: "end of the last whole record"
      }
    }
  }

  /// The end of a log, and its last whole record.
  package struct End: Hashable, Sendable {
    package let offset: Int
    let last: AppleRecordShape
    package let basis: Basis
  }

  /// The verdict on the length.
  package let verdict: Verdict
  /// Where the log ends by its records; `nil` if that is unknown, or is where the length says.
  package let end: End?
  /// Whether the log may include records from before a compaction, because its length is wrong and
  /// only the records show its end.
  package let isEndUnverified: Bool

  /// The rule that decided; `nil` if the length is right without doubt.
  package var rule: (any EvidenceRule.Type)? {
    switch verdict {
    case .fits, .emptied: nil
    case .undecided: AppleUndecidedKey.self
    case .betweenBoundaries, .tooShort, .tooLong, .beyondFile: AppleLogEnd.self
    }
  }

  /// Whether the log ends where its length says.
  package var isAsStated: Bool {
    switch verdict {
    case .fits, .undecided: end == nil
    case .emptied, .betweenBoundaries, .tooShort, .tooLong, .beyondFile: false
    }
  }
}
