import KVModel

/// The entries in rows that SQLite does not reach, because damage cut off their pages from their table.
struct CutOffEntries {
  /// One entry of each key, with a caution: its page is damaged, or may have been a free one.
  private(set) var entries: [TypedEntry] = []
  /// The other records.
  private(set) var others: [PastRecord] = []

  /// Chooses among `records`, which are in the order of the files.
  ///
  /// A page that still belongs to a table is surer than one to which nothing leads.
  init(_ records: [PastRecord]) {
    let isOwned = { (record: PastRecord) in record.area == PastArea.cell.rawValue }
    var keys: Set<Key> = []
    for record in records.filter(isOwned) + records.filter({ !isOwned($0) }) {
      if record.state == .carved, let entry = record.entry, keys.insert(entry.key).inserted {
        entries.append(entry.cautioned(isOwned(record) ? .mayBeDamaged : .mayBeStale))
      } else {
        others.append(record)
      }
    }
  }
}
