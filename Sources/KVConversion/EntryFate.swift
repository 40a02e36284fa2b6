package import KVModel
package import KVRecovery

/// What became of an entry of a store, whatever its format.
package enum EntryFate: String, Sendable, CaseIterable {
  /// The app has the entry.
  case live
  /// The key was set again later.
  case superseded
  /// The key was removed later.
  case removed
  /// It is in bytes that are no longer, or not yet, part of the store: after the end of the log, in
  /// gaps, in other copies and versions.
  case residual

  /// Creates what became of a record of a log.
  package init(_ state: HistoryEvent.RecordState) {
    self =
      switch state {
      case .live: .live
      case .superseded: .superseded
      case .removed: .removed
      case .slack: .residual
      }
  }

  /// Creates what became of an entry that a format without a log no longer has.
  package init(_ state: PastRecord.State) {
    self =
      switch state {
      case .superseded: .superseded
      case .removed: .removed
      case .carved: .residual
      }
  }
}
