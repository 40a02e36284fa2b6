import KVBytes

/// Numbers with their nouns.
package enum Plural {
  /// Returns `count` and the matching form of the noun.
  package static func count(_ count: Int, _ one: String, _ many: String) -> String {
    count.counted(one, many)
  }
}
