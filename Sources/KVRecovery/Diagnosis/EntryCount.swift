import KVBytes
package import KVModel

/// A number of entries, with those that are guesses counted apart: the ones that are more likely wrong
/// than right.
///
/// A repair sets guesses aside, so a number that includes them promises too much.
package struct EntryCount: Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// The number of entries that are not guesses.
  package var entries: Int
  /// The number of guesses.
  package var guesses: Int

  /// Creates a count of `entries`, and of `guesses` apart from them.
  package init(entries: Int = 0, guesses: Int = 0) {
    self.entries = entries
    self.guesses = guesses
  }

  /// Creates a count of entries without guesses.
  package init(integerLiteral entries: Int) { self.init(entries: entries) }

  /// Counts the entries of a format without a log, with this `evidence`.
  package init(_ evidence: some Sequence<Evidence>) {
    self.init()
    for evidence in evidence { add(isGuess: evidence == .guess) }
  }

  /// Counts another entry, which may be a guess.
  package mutating func add(isGuess: Bool) {
    if isGuess { guesses += 1 } else { entries += 1 }
  }

  /// Adds the counts of `other`.
  package static func += (count: inout EntryCount, other: EntryCount) {
    count.entries += other.entries
    count.guesses += other.guesses
  }

  /// Returns how many are left without those of `other`.
  package static func - (count: EntryCount, other: EntryCount) -> EntryCount {
    EntryCount(
      entries: count.entries - other.entries, guesses: count.guesses - other.guesses)
  }

  /// The numbers, for people: `2`, or `2, and 3 guesses`.
  package var text: String { entries.grouped + guessText }
  /// The numbers of what can be recovered, for people: `2 recoverable, and 3 guesses`.
  package var recoverableText: String { "\(entries.grouped) recoverable\(guessText)" }
  /// The numbers with their nouns, for people: `2 entries`, or `2 entries, and 3 guesses`.
  package var words: String {
    "\(entries.grouped) \(entries == 1 ? "entry" : "entries")\(guessText)"
  }

  private var guessText: String {
    guesses == 0 ? "" : ", and \(guesses.grouped) \(guesses == 1 ? "guess" : "guesses")"
  }

  /// Returns how many there are of `all`, for people: `2 of 3 entries, and 1 of 2 guesses`; only
  /// guesses are named if there are only guesses.
  package func words(of all: EntryCount) -> String {
    func part(_ count: Int, _ total: Int, _ one: String, _ many: String) -> String {
      count == total
        ? (total == 1 ? "the one \(one)" : "all \(total.grouped) \(many)")
        : "\(count.grouped) of \(total.grouped) \(many)"
    }
    let guessed = part(guesses, all.guesses, "guess", "guesses")
    if all.guesses == 0 { return part(entries, all.entries, "entry", "entries") }
    if all.entries == 0 { return guessed }
    return "\(part(entries, all.entries, "entry", "entries")), and \(guessed)"
  }

  /// The number of entries and guesses together.
  package var total: Int { entries + guesses }
  /// Whether there are neither entries nor guesses.
  package var isEmpty: Bool { total == 0 }
}
