package import KVModel

/// How many keys of a case, or of several, were returned, and how.
package struct Score: Hashable, Sendable {
  /// How many cases are counted.
  package private(set) var cases = 0
  /// The keys that must be returned.
  package private(set) var must = 0
  /// Those of them that were returned with their value.
  package private(set) var found = 0
  /// All keys that were returned with their value.
  package private(set) var right = 0
  /// Keys that were returned with a value that they had before; removed keys too.
  package private(set) var stale = 0
  /// Keys that were stored, and were returned with a value that they never had.
  package private(set) var wrong = 0
  /// Those of them that the tool called unverified.
  package private(set) var wrongMarked = 0
  /// Keys that were never stored.
  package private(set) var invented = 0
  /// Those of them that the tool called unverified.
  package private(set) var inventedMarked = 0

  /// The score of no case.
  package init() {}

  /// The keys that must be returned and were not, or not with their value.
  package var missing: Int { must - found }

  /// How many per cent of the keys that must be returned were; `nil` where there are none.
  package var percentage: Double? { must == 0 ? nil : 100 * Double(found) / Double(must) }

  /// This and another score together.
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

/// How well one case was read.
package struct CaseScore: Hashable, Sendable {
  /// The counts.
  package let score: Score
  /// The keys that must be returned and were not, or not with their value; sorted.
  package let missing: [Key]
  /// The keys that were returned with a value that they never had; sorted.
  package let wrong: [Key]
  /// The keys that were returned and never stored; sorted.
  package let invented: [Key]

  /// The score of what was returned; of several entries with one key the last counts.
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
