import KVBytes

/// Numbers with their nouns.
package enum Plural {
  /// `count` and the form of the noun that goes with it.
  package static func count(_ count: Int, _ one: String, _ many: String) -> String {
    "\(count.grouped) \(count == 1 ? one : many)"
  }
}
