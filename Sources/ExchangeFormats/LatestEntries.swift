import KVModel

/// Entries by key, of which only the last one for each key counts.
struct LatestEntries {
  private var entries: [TypedEntry?] = []
  private var positions: [Key: Int] = [:]
  /// The number of ``entries`` that were read before reading went on behind damage.
  private var certainCount = 0

  /// The last entry of each key, in the order of the file.
  var all: [TypedEntry] { entries.compactMap(\.self) }

  /// Keeps the entries that were added so far: those that a search behind damage finds may be parts
  /// of a value, and replace none of them.
  mutating func keepAll() { certainCount = entries.count }

  /// Adds an entry, and returns the earlier one of its key, if any, which it replaces unless that
  /// is kept, with a caution if the values differ.
  mutating func add(_ entry: TypedEntry) -> (entry: TypedEntry, isKept: Bool)? {
    if let position = positions[entry.key], position < certainCount,
      let earlier = entries[position]
    {
      if !earlier.hasSameContent(as: entry) { entries[position] = earlier.cautioned(.mayBeStale) }
      return (earlier, true)
    }
    let earlier = positions.updateValue(entries.count, forKey: entry.key)
    entries.append(entry)
    guard let earlier else { return nil }
    defer { entries[earlier] = nil }
    return entries[earlier].map { ($0, false) }
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
