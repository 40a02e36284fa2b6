import KVModel

/// Entries by key, of which the last stands.
struct LatestEntries {
  private var entries: [TypedEntry?] = []
  private var positions: [Key: Int] = [:]

  /// The entries that stand, in the order of the file.
  var all: [TypedEntry] { entries.compactMap(\.self) }

  /// Adds an entry, and returns the one whose place it takes.
  mutating func add(_ entry: TypedEntry) -> TypedEntry? {
    let former = positions.updateValue(entries.count, forKey: entry.key)
    entries.append(entry)
    guard let former else { return nil }
    defer { entries[former] = nil }
    return entries[former]
  }
}
