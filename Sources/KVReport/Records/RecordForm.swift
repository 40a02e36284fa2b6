import KVConversion
import KVModel
import KVRecovery

/// How the lines of a report state the records of a store.
protocol RecordForm: Sendable {
  /// The store of the records.
  var store: any Store { get }
  /// Whether lines leave out what is the same for every sound entry.
  var isShort: Bool { get }

  /// Returns the lines about `records`, each with a line feed; `weighed` are the values weighed for
  /// the lines before.
  ///
  /// If `emit` is given, the beginning may be passed to it in pieces, and only the rest is returned.
  func lines(
    about records: [RecordItems], _ weighed: inout WeighedValues,
    to emit: (([UInt8]) -> Void)?
  ) -> [UInt8]
}

/// What lines are about: records, and the gaps between them.
enum RecordItems: Sendable {
  case one(RecordItem)
  /// Some entries that a plan keeps; they are not copied.
  case kept([RepairPlan.KeptEntry], Range<Int>)
  /// A part of the history.
  case past([HistoryEvent])

  /// Passes what a line states of each record, in the short form or in full, and each gap.
  func forEach(
    short isShort: Bool, _ record: (RecordItem) -> Void, gap: (Gap) -> Void
  ) {
    switch self {
    case .one(let item): record(item)
    case .kept(let entries, let range):
      for index in range { record(RecordItem(of: entries, at: index, short: isShort)) }
    case .past(let events):
      for event in events {
        switch event {
        case .record(let found, let state, let assessment):
          record(RecordItem("record", found, assessment, state: state, short: isShort))
        case .gap(let found): gap(found)
        }
      }
    }
  }
}
