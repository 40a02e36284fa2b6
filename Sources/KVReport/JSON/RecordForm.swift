import KVBytes
import KVConversion
import KVModel
import KVRecovery

/// How a line of type `entry`, `aside`, `dropped` or `record` states a record.
struct RecordForm: Sendable {
  /// What such a line states in addition to the record.
  struct Fate {
    /// The evidence for the entry; `nil` for one that is left out.
    var assessment: Assessment?
    /// The state of a record in the history.
    var state: String?
    var reason: String?
    /// What the probability results from, if it is stated.
    var weighing: Weighing?
  }

  /// What one line is about.
  struct Item {
    /// The type of the line.
    let type: String
    let record: Record
    let fate: Fate
  }

  /// The store of the records.
  let store: any Store
  /// The clock that decides which entries have expired.
  let clock: UInt32
  /// The likely types of the store's values.
  let typing: StoreTyping
  let values: ValueDetail
  /// The names of the roles of the store's files.
  let roleNames: RoleNames
  /// The path of the store, if several were named.
  let path: String?

  /// Writes the line about `item` to `emit`; `weighed` are the values weighed for the lines before.
  ///
  /// Every such line has `key` and `value`, which are null if there is nothing to state.
  func write(
    _ item: Item, _ weighed: inout WeighedValues, to emit: @escaping ([UInt8]) -> Void
  ) {
    write(item, of: store, &weighed, to: emit)
  }

  private func write<S: Store>(
    _ item: Item, of store: S, _ weighed: inout WeighedValues,
    to emit: @escaping ([UInt8]) -> Void
  ) {
    let record = item.record
    let fate = item.fate
    let key = store.key(of: record)
    let isPut = record.operation != .remove
    let readings = isPut ? typing.reported(record, in: store, &weighed) : []
    let shown = values.readings == .all ? readings : StoreTyping.likeliest(of: readings)
    let others = StoreTyping.otherKinds(in: readings, than: shown)
    let content = readings.first.flatMap { values.document(of: $0, in: record, of: store) }
    let expiry = isPut ? store.expiry(of: record).flatMap { $0 == 0 ? nil : $0 } : nil
    JSONLine.write(to: emit) { line in
      line.member("cautions", fate.assessment?.cautions ?? [])
      line.member("content", content)
      line.evidence(of: fate.assessment)
      if let expiry { expires(&line, at: expiry) }
      line.member("file", roleNames[record.file])
      line.member("key", key.text)
      line.member("key_hex") { $0.hexadecimal(key.bytes.storageSpan) }
      line.member("length", record.count)
      line.member("offset", record.offset)
      if fate.state != nil { line.member("operation", record.operation.name) }
      line.otherKinds(others)
      if let path { line.member("path", path) }
      line.probability(of: fate.assessment)
      line.member("raw_hex") { line in store.withValue(of: record) { line.hexadecimal($0) } }
      line.member("readings", shown)
      if let reason = fate.reason { line.member("reason", reason) }
      line.member("rules", fate.assessment?.rules ?? [])
      if let state = fate.state { line.member("state", state) }
      line.member("type", item.type)
      // A value is only stated if the bytes have no other reading.
      line.member("value") { line in
        if readings.count == 1 { line.value(of: readings[0]) } else { line.null() }
      }
      line.weighing(fate.weighing)
    }
  }

  private func expires(_ line: inout JSONLine, at time: UInt32) {
    line.member("expired") { $0.literal(time <= clock) }
    line.member("expires_at", Int(time))
  }
}
