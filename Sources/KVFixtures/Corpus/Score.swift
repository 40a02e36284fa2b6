package import KVModel

/// Counts of how the keys of one or more cases were returned.
package struct Score: Hashable, Sendable {
  /// The number of cases.
  package private(set) var cases = 0
  /// The number of keys that must be returned.
  package private(set) var must = 0
  /// The number of those keys that were returned with their value.
  package private(set) var found = 0
  /// The number of all keys that were returned with their value.
  package private(set) var right = 0
  /// The number of keys that were returned with an earlier value, including removed keys.
  package private(set) var stale = 0
  /// The number of stored keys that were returned with a value that they never had.
  package private(set) var wrong = 0
  /// The number of those that the tool marked as unverified.
  package private(set) var wrongMarked = 0
  /// The number of returned keys that were never stored.
  package private(set) var invented = 0
  /// The number of those that the tool marked as unverified.
  package private(set) var inventedMarked = 0

  /// Creates the score of no cases.
  package init() {}

  /// The number of keys that must be returned but were not returned with their value.
  package var missing: Int { must - found }

  /// Adds the counts of `other`.
  package static func += (score: inout Score, other: Score) {
    score.cases += other.cases
    score.must += other.must
    score.found += other.found
    score.right += other.right
    score.stale += other.stale
    score.wrong += other.wrong
    score.wrongMarked += other.wrongMarked
    score.invented += other.invented
    score.inventedMarked += other.inventedMarked
  }
}

/// The score of one case.
package struct CaseScore: Hashable, Sendable {
  /// The counts.
  package let score: Score
  /// The keys that must be returned but were not returned with their value, sorted.
  package let missing: [Key]
  /// The stored keys that were returned with a value that they never had, sorted.
  package let wrong: [Key]
  /// The returned keys that were never stored, sorted.
  package let invented: [Key]

  /// Scores the returned entries.
  ///
  /// If several have the same key, the last one counts.
  init(_ returned: [ReturnedEntry], by answer: CaseAnswer) {
    var entries: [Key: ReturnedEntry] = [:]
    for entry in returned { entries[entry.key] = entry }
    var score = Score(cases: 1, must: answer.must.count)
    var wrong: [Key] = []
    var invented: [Key] = []
    for entry in entries.values {
      let truth = answer.truth[entry.key]
      let older = answer.older[entry.key]
      if truth == entry.value {
        score.countRight(isAsked: answer.must.contains(entry.key))
      } else if older?.contains(entry.value) ?? false {
        score.countStale()
      } else if truth != nil || older != nil {
        score.countWrong(entry)
        wrong.append(entry.key)
      } else {
        score.countInvented(entry)
        invented.append(entry.key)
      }
    }
    self.score = score
    missing = answer.must.filter { entries[$0]?.value != answer.truth[$0] }.sorted()
    self.wrong = wrong.sorted()
    self.invented = invented.sorted()
  }
}

extension Score {
  fileprivate init(cases: Int, must: Int) {
    self.cases = cases
    self.must = must
  }

  fileprivate mutating func countRight(isAsked: Bool) {
    right += 1
    if isAsked { found += 1 }
  }

  fileprivate mutating func countStale() { stale += 1 }

  fileprivate mutating func countWrong(_ entry: ReturnedEntry) {
    wrong += 1
    if entry.isMarked { wrongMarked += 1 }
  }

  fileprivate mutating func countInvented(_ entry: ReturnedEntry) {
    invented += 1
    if entry.isMarked { inventedMarked += 1 }
  }
}
