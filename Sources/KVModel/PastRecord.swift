/// An entry that a format without a log no longer has, or has with another value now, as free parts
/// of its files still contain it.
package struct PastRecord: Hashable, Sendable {
  /// The key.
  package let key: Key
  /// The value; `nil` if it was in a file that is gone.
  package let value: Value?
  /// What became of the entry.
  package let state: State
  /// The record's place, and its evidence.
  package let origin: EntryOrigin
  /// The number of the page of the file.
  package let page: Int
  /// The kind of bytes that the record is in, such as `free-page`.
  package let area: String

  /// What became of an entry.
  package enum State: String, Sendable {
    /// The key has another value now.
    case superseded
    /// The key is gone.
    case removed
    /// Damage separated the entry from the others, so the app may still have had it.
    case carved
  }

  /// Creates a record.
  package init(
    key: Key, value: Value?, state: State, origin: EntryOrigin, page: Int, area: String
  ) {
    self.key = key
    self.value = value
    self.state = state
    self.origin = origin
    self.page = page
    self.area = area
  }

  /// The entry; `nil` without its value.
  package var entry: TypedEntry? {
    value.map { TypedEntry(key: key, value: $0, origin: origin) }
  }

  /// The record, for output formats that have a table of records.
  package var historic: HistoricRecord {
    HistoricRecord(key: key, operation: "put", state: state.rawValue, origin: origin)
  }
}

extension PastRecords {
  /// Counts former entries of a format without a log.
  package init(_ records: [PastRecord]) {
    superseded = records.count { $0.state == .superseded }
    removed = records.count { $0.state == .removed }
    residual = records.count { $0.state == .carved }
  }
}
