import KVModel

/// Finds keys that a file repeats although each key should have only one value.
enum Duplicates {
  /// Removes all but the last entry of each key from `entries`, and returns a finding called `code`
  /// for each repetition.
  ///
  /// The finding is at the repeated entry, or at `place` if the place of the entry is unknown.
  static func remove(
    from entries: inout [TypedEntry], _ code: FindingCode, at place: Extent? = nil
  ) -> [Finding] {
    var latest = LatestEntries()
    var list = FindingList()
    for entry in entries where latest.add(entry) != nil {
      list.add(
        Finding(
          code, at: entry.origin.extent ?? place,
          "the key \(Value.mentioned(entry.key)) appears "
            + "more than once; the last entry is used",
          losesContent: true))
    }
    entries = latest.all
    return list.all
  }
}
