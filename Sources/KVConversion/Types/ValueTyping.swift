import KVModel
import KVRecovery

/// Decides what type each value of a store has: never by a silent guess.
///
/// In this order: what a person says; what the record says; the type that the app has set the key to
/// each time, where that was at least two different values; the only type that fits. Else the bytes.
struct ValueTyping<S: Store> {
  /// Of values longer than this, readings have so many bytes.
  private static var sampleCount: Int { 1 << 12 }

  private let store: S
  private let schema: TypeSchema
  private let assumesLikeliest: Bool
  /// Earlier records of the keys that are live, where the store has no types.
  private let earlier: [Key: [Record]]

  init(of store: S, by state: StoreState?, schema: TypeSchema, assumesLikeliest: Bool) {
    self.store = store
    self.schema = schema
    self.assumesLikeliest = assumesLikeliest
    var earlier: [Key: [Record]] = [:]
    if let state, !store.storesTypes {
      History(of: store, by: state).forEach { event in
        guard case .record(let record, .superseded, _) = event, record.operation == .put else {
          return
        }
        earlier[store.key(of: record), default: []].append(record)
      }
    }
    self.earlier = earlier
  }

  /// What the value of `record` is taken for.
  func decision(for record: Record) -> TypeDecision {
    let key = store.key(of: record)
    if let kind = schema.kind(of: key) {
      if let value = store.value(of: record, as: kind) {
        return TypeDecision(value: value, losses: [], isSure: true)
      }
      let value = untyped(record)
      return TypeDecision(value: value, losses: [.wrongType(kind, value)], isSure: false)
    }
    if store.storesTypes { return stored(record, store.readings(of: record)) }
    // Of a long value, what it can be is known from its beginning; one reading at most is wanted whole.
    var readings = store.readings(of: record, keeping: Self.sampleCount)
    if let decision = historic(record, key, readings) { return decision }
    if readings.count == 1 || assumesLikeliest, readings[0].count != nil {
      readings[0] = whole(readings[0], of: record)
    }
    if readings.count == 1 {
      return TypeDecision(
        value: readings[0].value, losses: [.assumedType(readings[0].value, readings[0].reason)],
        isSure: true)
    }
    if assumesLikeliest {
      return TypeDecision(
        value: readings[0].value,
        losses: [
          .assumedType(
            readings[0].value,
            "the likeliest, as was asked for: \(readings[0].reason). It can also be "
              + readings.dropFirst().map(\.value.kind).joined(separator: ", "))
        ], isSure: false)
    }
    return TypeDecision(
      value: untyped(record), losses: [.ambiguousType(readings)], isSure: false)
  }

  /// The reading with the whole value.
  private func whole(_ reading: Reading, of record: Record) -> Reading {
    let value = store.value(of: record, as: reading.value.kind)
    // Bytes that are no value of the kind are read as that for want of a better one.
    return value.map { Reading($0, because: reading.reason) } ?? store.readings(of: record)[0]
  }

  private func untyped(_ record: Record) -> Value {
    store.value(of: record, as: "raw") ?? .bytes(store.value(of: record))
  }

  private func stored(_ record: Record, _ readings: [Reading]) -> TypeDecision {
    let first = readings[0]
    var losses: [Loss] = []
    // Two values of the type that is stored: one of them is broken.
    if readings.dropFirst().contains(where: { $0.value.kind == first.value.kind }) {
      losses.append(.assumedType(first.value, first.reason))
    }
    if let name = first.className { losses.append(.classNotTold(name)) }
    return TypeDecision(value: first.value, losses: losses, isSure: true)
  }

  /// The type that is likeliest for every record of the key, if they have different values.
  private func historic(
    _ record: Record, _ key: Key, _ readings: [Reading]
  ) -> TypeDecision? {
    guard let others = earlier[key], let live = readings.first else { return nil }
    var kind = live.value.kind
    var values: Set<[UInt8]> = [store.value(of: record)]
    for other in others {
      guard
        let likeliest = store.readings(of: other, keeping: Self.sampleCount).first?.value.kind,
        let common = Self.common(kind, likeliest)
      else { return nil }
      kind = common
      values.insert(store.value(of: other))
    }
    guard values.count > 1, let value = store.value(of: record, as: kind),
      others.allSatisfy({ store.value(of: $0, as: kind) != nil })
    else { return nil }
    return TypeDecision(
      value: value,
      losses: [
        .assumedType(
          value, "the likeliest type of all \(others.count + 1) records of the key")
      ], isSure: true)
  }

  /// The type that has the values of both.
  private static func common(_ one: String, _ other: String) -> String? {
    if one == other { return one }
    let pair: Set = [one, other]
    if pair == ["int32", "int64"] { return "int64" }
    if pair == ["list<int32>", "list<int64>"] { return "list<int64>" }
    if pair == ["json", "string"] { return "string" }
    return nil
  }
}
