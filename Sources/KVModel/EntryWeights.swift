/// A condition of an entry's being right; an entry is right if all three hold.
package enum Condition: String, Sendable, CaseIterable {
  /// There was such a record: these bytes are one, and its key is the original one.
  case record
  /// The bytes of its value are those that were stored.
  case unchanged
  /// The key was not set again or removed later.
  case newest
}

/// A question about an entry whose answer is evidence for or against a condition.
///
/// Each question has a few answers, and each answer a weight in bits. The weights are measured, not
/// argued: ``EntryWeights`` says how.
package enum Witness: Int, Sendable, CaseIterable {
  /// The evidence for the entry.
  case evidence
  /// The number of records from the last gap before the record.
  case recordsSinceGap
  /// The number of records up to the next gap after it.
  case recordsToGap
  /// The number of gaps in the log.
  case gaps
  /// In a log whose cipher chains its blocks, where a changed byte garbles the next block too:
  /// whether the record reaches into the block after the one where the gap before it ends.
  case chain
  /// The number of short gaps in the log that an edge between two sectors is in: where sectors were
  /// exchanged, filled or not written, records break off at such edges.
  case sectorEdges
  /// Whether the key of an unverified record is printable text.
  case key
  /// How the value of an unverified record compares with the older one of its key: its length, and
  /// whether it begins with its length.
  case shape
  /// What the value of an unverified record looks like: text that breaks off in noise is damaged.
  case content
  /// The part of all unverified bytes that the record has, without and with gaps in the log.
  case share
  /// The length of the value of an unverified record, in bytes.
  case valueLength
  /// What a copy that seems to have changed one kind of byte everywhere did to the record.
  case copy
  /// The number of records of the key to expect in the gaps after the record.
  case lostInGaps
  /// The number of records of the key to expect after the end of the file, which is too short.
  case lostAtEnd
  /// The number of records in the log for each entry.
  case rewrites
  /// The number of records of the key since the last full rewrite.
  case recordsOfKey

  /// The name.
  package var name: String { "\(self)" }

  /// The question, in words.
  package var question: String {
    switch self {
    case .evidence: "the evidence for the entry"
    case .recordsSinceGap: "records between the last gap before the record and the record"
    case .recordsToGap: "records between the record and the next gap"
    case .gaps: "gaps in the log"
    case .chain: "whether the gap before garbles bytes of the record, by the cipher's chain"
    case .sectorEdges: "gaps of less than a sector that an edge between two sectors is in"
    case .key: "what the key of an unverified record is"
    case .shape: "the value of an unverified record beside the older one of its key, by its length"
    case .content: "what the value of an unverified record looks like"
    case .share: "the part of all unverified bytes that an unverified record has"
    case .valueLength: "bytes of the value of an unverified record"
    case .copy: "what a copy that changed one kind of byte everywhere did to the record"
    case .lostInGaps: "records of the key that the gaps after the record are expected to hide"
    case .lostAtEnd: "records of the key that are expected to be missing, as the file is too short"
    case .rewrites: "records in the log for each entry"
    case .recordsOfKey: "records of the key since the last full rewrite"
    }
  }

  /// The conditions that the answers are evidence for.
  package var conditions: [Condition] {
    switch self {
    case .evidence, .copy: [.record, .unchanged, .newest]
    case .recordsSinceGap, .recordsToGap, .key, .shape: [.record]
    case .gaps, .chain, .content: [.record, .unchanged]
    case .share, .valueLength: [.unchanged]
    case .lostInGaps, .lostAtEnd, .rewrites, .recordsOfKey: [.newest]
    case .sectorEdges: [.record, .newest]
    }
  }

  /// The answers, in words.
  package var answers: [String] {
    switch self {
    case .evidence: ["guess", "structure", "corrected", "checksum"]
    case .recordsSinceGap, .recordsToGap:
      ["no gap", "0", "1", "2-3", "4-8", "9-20", "more than 20"]
    case .gaps, .sectorEdges: ["none", "1", "2", "3", "more than 3"]
    case .chain:
      ["no chain", "no gap", "out of reach", "after a long gap", "after a gap in a block"]
    case .key: ["verified", "text", "other bytes"]
    case .shape: ["verified", "no older value", "unlike the older value", "like the older value"]
    case .content: ["verified", "short", "text", "text that ends in noise", "other bytes"]
    case .share:
      ["verified"] + Self.shares.map { $0 + ", no gap" } + Self.shares.map { $0 + ", gaps" }
    case .valueLength: ["verified", "0-1", "2-8", "9-16", "17-64", "65-256", "more than 256"]
    case .copy: ["leaves such bytes", "may have changed it"]
    case .lostInGaps, .lostAtEnd: Self.numbers
    case .rewrites: ["1", "up to 1.2", "up to 1.5", "up to 2", "up to 4", "more than 4"]
    case .recordsOfKey: ["0", "1", "2", "3-4", "5-8", "more than 8"]
    }
  }

  private static let shares = [
    "up to 0.3%", "up to 1%", "up to 3%", "up to 10%", "up to 30%", "up to 60%", "more", "all",
  ]
  private static let numbers = [
    "0", "up to 0.003", "up to 0.01", "up to 0.03", "up to 0.1", "up to 0.3", "up to 1", "up to 3",
    "more than 3",
  ]
}

/// What a format's stores have shown about the entries that are read from them: the weights, in
/// bits, of the answers to each ``Witness`` and of the evidence rules behind an entry.
///
/// For each condition, the weights are added to a base; the sum *s* is the probability
/// 1 / (1 + 2^−*s*) that the condition holds, and the product of the three is that of the entry.
/// `Tests/Calibration/fit.py` fits all of them together on damaged stores with known contents.
package struct EntryWeights: Sendable {
  /// The weights for one condition.
  package struct Weights: Sendable {
    /// The bits that every entry begins with.
    package let base: Double
    /// The bits of each evidence rule that is behind the entry.
    package let rules: [RuleID: Double]
    /// The bits of each answer, by the number of the question.
    private let answers: [[Double]]

    /// Creates the weights; a question that is not among `answers` says nothing about the condition.
    package init(base: Double, answers: [Witness: [Double]], rules: [RuleID: Double]) {
      self.base = base
      self.rules = rules
      self.answers = Witness.allCases.map { answers[$0] ?? [] }
    }

    /// Returns the bits of each answer to `witness`; empty if it says nothing.
    package func bits(of witness: Witness) -> [Double] { answers[witness.rawValue] }

    /// Returns the bits of the answer with this number; 0 if it says nothing.
    package func bits(of answer: Int, to witness: Witness) -> Double {
      let bits = bits(of: witness)
      return bits.isEmpty ? 0 : bits[answer]
    }

    /// Returns the base with the bits of `rules`.
    package func bits(of rules: [RuleID]) -> Double {
      rules.reduce(base) { $0 + (self.rules[$1] ?? 0) }
    }
  }

  private let weights: [Weights]

  /// Creates the weights for the three conditions.
  package init(record: Weights, unchanged: Weights, newest: Weights) {
    weights = [record, unchanged, newest]
  }

  /// Returns the weights for `condition`.
  package subscript(condition: Condition) -> Weights {
    switch condition {
    case .record: weights[0]
    case .unchanged: weights[1]
    case .newest: weights[2]
    }
  }
}

extension Store {
  /// The weights for a format whose stores were not measured: the evidence alone counts.
  package var entryWeights: EntryWeights { .unmeasured }
}

extension EntryWeights {
  /// The evidence alone: an entry by checksum is wrong once in 2^10, a guess once in 2.
  static let unmeasured = EntryWeights(
    record: .init(base: 10, answers: [.evidence: [-10, -6, -1, 0]], rules: [:]),
    unchanged: .init(base: 12, answers: [:], rules: [:]),
    newest: .init(base: 12, answers: [:], rules: [:]))
}
