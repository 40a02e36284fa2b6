package import KVModel

/// A place in a store where a pattern was found.
package struct SearchHit: Sendable {
  /// The part of an entry that matches.
  package enum Part: String, Sendable {
    case key, value
    /// A document in the value, or what is packed in it.
    case nested
    /// Bytes that belong to no entry that can be read.
    case bytes
  }

  /// The key; `nil` if the bytes belong to no entry.
  package let key: Key?
  /// Whether what looks like the key is one, and not a part of a value.
  package let isOfSureKey: Bool
  /// The part that matches.
  package let part: Part
  /// What became of the entry.
  package let state: EntryFate
  /// The bytes of the entry's record, or those that match if they belong to none; `nil` if the format
  /// does not tell.
  package let place: Place?
  /// The bytes of that file that match, if they are there as they were found.
  package let range: Range<Int>?
  /// How what was found is encoded.
  package let encoding: SearchMatch.Encoding
  /// The names that lead to the match within the value, if it is nested.
  package let member: String?
  /// The evidence for the entry.
  package let evidence: Evidence
  /// The probability that the entry is right; `nil` if it was not weighed.
  package let probability: Probability?
  /// The text around the match.
  package let excerpt: String

  /// Creates a hit.
  init(
    _ match: SearchMatch, in part: Part, of key: Key?, _ state: EntryFate, at place: Place?,
    range: Range<Int>? = nil, member: String? = nil, _ evidence: Evidence,
    isOfSureKey: Bool = false, _ probability: Probability? = nil
  ) {
    self.key = key
    self.isOfSureKey = isOfSureKey
    self.part = part
    self.state = state
    self.place = place
    self.range = range
    self.member = member
    self.evidence = evidence
    self.probability = probability
    encoding = match.encoding
    excerpt = match.excerpt
  }

  /// Returns the same hit without what it says of the value, and with `key` instead of its own.
  package func hidden(as key: Key?) -> SearchHit {
    SearchHit(hiding: self, key)
  }

  private init(hiding hit: SearchHit, _ key: Key?) {
    self.key = key
    isOfSureKey = hit.isOfSureKey
    (part, state, place, range) = (hit.part, hit.state, hit.place, hit.range)
    (encoding, evidence, probability) = (hit.encoding, hit.evidence, hit.probability)
    member = nil
    excerpt = ""
  }
}

/// What a search found in a store.
package struct SearchResult: Sendable {
  /// The largest number of hits that are kept of one store.
  static let limit = 1 << 16

  /// The hits, those in entries first.
  package private(set) var hits: [SearchHit] = []
  /// Whether there were more hits than are kept.
  package internal(set) var isCut = false
  /// Whether the records cannot be read, as without the key, so that only bytes were searched.
  package var isUnread = false

  /// Creates the result for a store that has no match.
  package init() {}

  /// The number of hits for which there is room.
  var room: Int { Self.limit - hits.count }

  mutating func add(_ hit: SearchHit) {
    guard room > 0 else {
      isCut = true
      return
    }
    hits.append(hit)
  }
}
