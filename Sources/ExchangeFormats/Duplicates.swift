import KVModel

/// Finds keys that a file repeats although each key should have only one value.
enum Duplicates {
  /// Returns a finding called `code` for each repetition of a key in `entries`.
  ///
  /// The finding is at the repeated entry, or at `place` if the place of the entry is unknown. The
  /// last entry of a key counts.
  static func findings(
    _ code: FindingCode, among entries: [TypedEntry], at place: Extent? = nil
  ) -> [Finding] {
    var seen: Set<Key> = []
    var list = FindingList()
    for entry in entries where !seen.insert(entry.key).inserted {
      list.add(
        Finding(
          code, at: entry.origin.extent ?? place,
          "the key \(entry.key.text.map(Value.mentioned) ?? "of bytes that are not UTF-8") appears "
            + "more than once; the last entry is used",
          losesContent: true))
    }
    return list.all
  }
}
