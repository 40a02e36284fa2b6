import KVModel

/// Entries by key, of which only the last one for each key counts.
struct LatestEntries {
  private var entries: [TypedEntry?] = []
  private var positions: [Key: Int] = [:]
  /// Whether an entry replaces none that was there: after damage, what looks like an entry may be a
  /// part of a value.
  var keepsFirst = false

  /// The last entry of each key, in the order of the file.
  var all: [TypedEntry] { entries.compactMap(\.self) }

  /// Adds an entry, and returns the earlier one of its key, if any, which it replaces unless that
  /// is kept.
  mutating func add(_ entry: TypedEntry) -> TypedEntry? {
    if keepsFirst, let earlier = positions[entry.key].flatMap({ entries[$0] }) { return earlier }
    let earlier = positions.updateValue(entries.count, forKey: entry.key)
    entries.append(entry)
    guard let earlier else { return nil }
    defer { entries[earlier] = nil }
    return entries[earlier]
  }

  /// Removes the entry that was added last if the byte at `offset` is one of its own.
  mutating func removeLast(containing offset: Int) {
    guard let last = entries.last, let entry = last,
      entry.origin.extent?.range.contains(offset) ?? false
    else { return }
    entries.removeLast()
    positions[entry.key] = nil
  }

  /// Marks the entry that was added last, which ends where damage begins: the bytes before the
  /// damage may have been lost with it.
  mutating func cautionLast() {
    guard let last = entries.indices.last else { return }
    entries[last] = entries[last]?.cautioned()
  }
}
