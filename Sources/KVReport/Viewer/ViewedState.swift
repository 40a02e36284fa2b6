import KVBytes
import KVConversion
import KVModel
import KVRecovery

/// A store as the viewer shows it: its entries in one of its states, and their records.
///
/// Only the place of each entry is kept; its content is read when it comes into view.
struct ViewedState<S: Store> {
  /// A record and its fate.
  struct Row {
    let record: Record
    let fate: HistoryEvent.RecordState
  }

  let store: S
  let plan: RepairPlan
  let state: StoreState
  let typing: StoreTyping
  private let judgement: Judgement<S>
  /// The last record of each key that is not live; read on demand.
  private var others: [Row] = []
  private var hasOthers = false
  /// All records in file order, and the gaps between them; `nil` until it is read.
  private(set) var history: (records: [Row], gaps: [Gap])?

  init(_ store: S, _ plan: RepairPlan, _ state: StoreState, _ schema: TypeSchema) {
    self.store = store
    self.plan = plan
    self.state = state
    judgement = Judgement(of: store, state)
    typing = StoreTyping(of: store, by: state, schema: schema)
  }

  // MARK: Rows

  /// Returns the number of rows, optionally with those of keys that are not live.
  func count(withOthers: Bool) -> Int {
    plan.kept.count + (withOthers ? others.count : 0)
  }

  func row(_ index: Int) -> Row {
    index < plan.kept.count
      ? Row(record: plan.kept[index].record, fate: .live) : others[index - plan.kept.count]
  }

  /// Returns the evidence for the record of `row`.
  func assessment(of row: Row) -> Assessment {
    switch row.fate {
    case .live: judgement.assessment(of: row.record)
    case .slack: Assessment(.guess)
    case .superseded, .removed: state.assessment(of: row.record)
    }
  }

  func key(of row: Row) -> Key { store.key(of: row.record) }

  /// Returns the value of `row` in words, as `dump` prints it.
  func value(of row: Row, _ detail: ValueDetail) -> String {
    guard row.record.operation != .remove else { return "(removal)" }
    if let reason = store.reasonForNoValue(of: row.record) { return "(\(reason))" }
    var weighed = WeighedValues()
    var line: [UInt8] = []
    DisplayText.write(valueOf: row.record, in: store, by: typing, detail, &weighed, to: &line)
    return String(decoding: line, as: UTF8.self)
  }

  // MARK: History

  /// Reads the history, unless it has been read.
  mutating func readHistory() {
    guard history == nil else { return }
    var records: [Row] = []
    var gaps: [Gap] = []
    History(of: store, by: state).forEach { event in
      switch event {
      case .record(let record, let fate, _): records.append(Row(record: record, fate: fate))
      case .gap(let gap): gaps.append(gap)
      }
    }
    history = (records, gaps)
  }

  /// Returns the records of `key`, in file order.
  mutating func history(of key: Key) -> [Row] {
    readHistory()
    return history?.records.filter {
      $0.record.key.count == key.bytes.count && self.key(of: $0) == key
    } ?? []
  }

  /// Finds the keys that are not live, unless they have been found.
  mutating func readOthers() {
    guard !hasOthers else { return }
    hasOthers = true
    readHistory()
    var live = Set(plan.kept.map { store.key(of: $0.record) })
    for row in history?.records.reversed() ?? [] where live.insert(key(of: row)).inserted {
      others.append(row)
    }
    others.reverse()
  }

  /// Returns the record with the byte at `offset` of `file`; `nil` if there is none, or the history
  /// has not been read.
  func row(at offset: Int, of file: FileRole) -> Row? {
    let found = history.flatMap { history in
      // Live records in other files come last.
      history.records.prefix(
        upTo: history.records.partitioningIndex {
          $0.record.file != file || $0.record.offset > offset
        }
      ).last
    }
    return found.flatMap {
      $0.record.file == file && $0.record.extent.range.contains(offset) ? $0 : nil
    }
  }
}
