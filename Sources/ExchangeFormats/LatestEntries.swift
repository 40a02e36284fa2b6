import KVModel

/// Entries by key, of which the last stands.
struct LatestEntries {
  private var entries: [TypedEntry?] = []
  private var positions: [Key: Int] = [:]

  /// The entries that stand, in the order of the file.
  var all: [TypedEntry] { entries.compactMap(\.self) }

  /// Adds an entry, and returns the one whose place it takes.
  mutating func add(_ entry: TypedEntry) -> TypedEntry? {
    let earlier = positions.updateValue(entries.count, forKey: entry.key)
    entries.append(entry)
    guard let earlier else { return nil }
    defer { entries[earlier] = nil }
    return entries[earlier]
  }
}
