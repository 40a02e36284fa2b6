import KVModel
import KVRecovery

/// What a line about a record states of it.
struct RecordItem {
  /// The type of the line.
  let type: String
  let record: Record
  /// The evidence for the entry; `nil` for one that is left out.
  let evidence: Evidence?
  /// What else is known about the entry; `nil` for one that is left out, and for a sound one in a
  /// short line.
  let assessment: Assessment?
  /// The state of a record in the history.
  let state: HistoryEvent.RecordState?
  let reason: String?
  /// What the probability results from, if it is stated.
  private(set) var weighing: Weighing?

  init(
    _ type: String, _ record: Record, _ assessment: Assessment? = nil,
    evidence: Evidence? = nil, state: HistoryEvent.RecordState? = nil,
    because reason: String? = nil
  ) {
    self.type = type
    self.record = record
    self.evidence = evidence ?? assessment?.evidence
    self.assessment = assessment
    self.state = state
    self.reason = reason
  }

  /// Creates the item of a record of the history; of a sound one, a short line states only the
  /// evidence.
  init(
    _ type: String, _ record: Record, _ assessment: Assessment,
    state: HistoryEvent.RecordState, short isShort: Bool
  ) {
    self.init(
      type, record, isShort && assessment.isSound ? nil : assessment,
      evidence: assessment.evidence, state: state)
  }

  init(_ type: String, _ entry: RepairPlan.KeptEntry) {
    self.init(type, entry.record, entry.assessment, because: entry.refusal)
    weighing = entry.weighing
  }

  /// Creates the item of one of many entries that a plan keeps.
  ///
  /// Of a sound entry, a short line states only the evidence. The rest, which the entries share, is
  /// not even copied, as all threads would count the references to it.
  init(of entries: [RepairPlan.KeptEntry], at index: Int, short isShort: Bool) {
    if isShort, entries[index].isPlain {
      self.init("entry", entries[index].record, evidence: .checksum)
    } else {
      self.init("entry", entries[index])
    }
  }
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
