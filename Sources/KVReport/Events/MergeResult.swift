package import KVModel
package import KVRecovery
package import SystemPackage

/// How copies of a store were merged.
package struct MergeResult: Sendable {
  /// The data files of the copies.
  package let copies: [FilePath]
  /// What was chosen where they differ.
  package let choices: [CopyChoice]
  /// The odds of the checksums matching by chance; `nil` if not all of them match.
  package let odds: CoincidenceOdds?
  /// Whether checksums show that the store is restored byte for byte, but for bytes that they do not
  /// cover.
  package let isProven: Bool
  /// Whether that is at least likely, so that the files were written as they are.
  package let isLikely: Bool
  /// The copies that entries were added from, and how many from each.
  package let added: [(path: FilePath, count: Int)]

  /// Creates a result from its parts.
  package init(
    of copies: [FilePath], _ choices: [CopyChoice], _ odds: CoincidenceOdds?, isProven: Bool,
    isLikely: Bool, added: [(path: FilePath, count: Int)]
  ) {
    self.copies = copies
    self.choices = choices
    self.odds = odds
    self.isProven = isProven
    self.isLikely = isLikely
    self.added = added
  }

  /// The number of bytes that were chosen, but that no checksum covers.
  var uncheckedCount: Int {
    choices.reduce(0) {
      $0 + ([.decoding, .context].contains($1.basis) ? $1.place.extent.count : 0)
    }
  }
}

extension ChoiceBasis {
  /// The reason for a choice, for people.
  var reason: String {
    switch self {
    case .checksum: "the checksum matches"
    case .record: "the record's checksum matches"
    case .decoding: "most of the log decodes"
    case .context: "like the bytes around them"
    case .only: "no other copy has them"
    }
  }
}
