package import KVModel

/// What the length in a header turns out to be, and where the log ends instead.
package struct LengthJudgement: Sendable {
  /// What the length turns out to be.
  package enum Verdict: Hashable, Sendable {
    /// It ends after a record, and nothing speaks against it.
    case fits
    /// It ends after a record. The records after it, which would change these keys, may belong to the
    /// log or not: nothing tells.
    case undecided(Set<Key>)
    /// It is 0, and whole records stand there.
    case emptied
    /// It ends where no record does.
    case betweenBoundaries
    /// So many whole records after it belong to the log.
    case tooShort(recordCount: Int)
    /// It ends after the end of the file.
    case beyondFile
  }

  /// What shows where the log ends, if not its length.
  package enum Basis: Hashable, Sendable {
    /// The low half of the length.
    case lowHalf
    /// The length with one bit changed back.
    case oneBit
    /// The records.
    case records

    /// What that is, for people.
    package var origin: String {
      switch self {
      case .lowHalf: "the low half of the header's length"
      case .oneBit: "the header's length with one bit changed back, where a record ends"
      case .records: "the records, each after the other"
      }
    }
  }

  /// Where a log ends, and the last record that is whole.
  package struct End: Hashable, Sendable {
    package let offset: Int
    let last: AppleRecordShape
    package let basis: Basis
  }

  /// What the length turns out to be.
  package let verdict: Verdict
  /// Where the log ends by its records; `nil` where that is not known, or is where the length says.
  package let end: End?
  /// Whether records of before a compaction may be among those of the log: its length is wrong, and
  /// only records say where it ends.
  package let isEndUnverified: Bool

  /// The rule that decided; `nil` where the length stands and is certain.
  package var rule: (any EvidenceRule.Type)? {
    switch verdict {
    case .fits, .emptied: nil
    case .undecided: AppleUndecidedKey.self
    case .betweenBoundaries, .tooShort, .beyondFile: AppleLogEnd.self
    }
  }

  /// Whether the log ends where its length says.
  package var isAsStated: Bool {
    switch verdict {
    case .fits, .undecided: true
    case .emptied, .betweenBoundaries, .tooShort, .beyondFile: false
    }
  }
}
