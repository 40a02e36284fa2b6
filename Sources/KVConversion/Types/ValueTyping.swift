package import KVModel
import KVRecovery

/// Decides what type each value of a store has: never by a silent guess.
///
/// In this order: what a person says; what the record says; the only type that fits; the likeliest by all
/// that the store holds, if that is decided or the likeliest was asked for. Else the bytes.
struct ValueTyping<S: Store>: Sendable {
  private let store: S
  private let names: RoleNames
  private let schema: TypeSchema
  private let typing: StoreTyping
  private let assumesLikeliest: Bool

  /// Whether the values are of no type that a record says, and have to be weighed.
  var weighs: Bool { !store.storesTypes }

  init(of store: S, by typing: StoreTyping, schema: TypeSchema, assumesLikeliest: Bool) {
    self.store = store
    names = store.files.roleNames
    self.schema = schema
    self.typing = typing
    self.assumesLikeliest = assumesLikeliest
  }

  /// What the value of `record` is taken for, `weighed` being what was weighed for the records before.
  func decision(for record: Record, _ weighed: inout WeighedValues) -> TypeDecision {
    if let kind = schema.kind(of: store.key(of: record)) {
      if let value = store.value(of: record, as: kind) {
        return TypeDecision(value: value, losses: [], isCertain: true)
      }
      let value = store.untyped(record)
      return TypeDecision(value: value, losses: [.wrongType(kind, value)], isCertain: false)
    }
    if store.storesTypes { return stored(store.readings(of: record)) }
    // Of a long value, what it can be is known from its beginning; one reading at most is wanted whole.
    let judgement = typing.judgement(
      of: record, in: store, keeping: StoreTyping.sampleCount, &weighed)
    guard judgement.isDecided || assumesLikeliest else {
      return TypeDecision(
        value: store.untyped(record), losses: [.ambiguousType(judgement.readings)], isCertain: false
      )
    }
    let first = judgement.readings[0]
    let reading = store.whole(first, of: record)
    let loss: Loss =
      judgement.isOnly
      ? .assumedType(reading.value, judgement.reason)
      : .likelyType(
        reading.value,
        judgement.isDecided
          ? judgement.reason : "the likeliest type, as requested: \(reading.reason)",
        besides: judgement.readings.dropFirst().map(\.value.kind))
    return TypeDecision(value: reading.value, losses: [loss], isCertain: judgement.isOnly)
  }

  /// What `kept` is, and what its type costs.
  func entry(
    _ kept: RepairPlan.KeptEntry, _ weighed: inout WeighedValues
  ) -> (entry: TypedEntry, losses: [Loss]) {
    let record = kept.record
    let decision = decision(for: record, &weighed)
    return (
      TypedEntry(
        key: store.key(of: record), value: decision.value, expiry: store.expiry(of: record) ?? 0,
        origin: EntryOrigin(
          kept.evidence, cautions: kept.cautions, at: names.place(record.extent),
          raw: store.value(of: record))),
      decision.losses
    )
  }

  private func stored(_ readings: [Reading]) -> TypeDecision {
    let first = readings[0]
    var losses: [Loss] = []
    // Two values of the type that is stored: one of them is broken.
    if readings.dropFirst().contains(where: { $0.value.kind == first.value.kind }) {
      losses.append(.assumedType(first.value, first.reason))
    }
    if let name = first.className { losses.append(.classNotTold(name)) }
    return TypeDecision(value: first.value, losses: losses, isCertain: true)
  }
}

extension Store {
  /// Returns the bytes of the value of `record`, of which no more is known.
  func untyped(_ record: Record) -> Value {
    value(of: record, as: .raw) ?? .bytes(value(of: record))
  }
}

extension ValueReading {
  /// Returns `reading`, one of the value of `record`, with the whole value where it has its beginning.
  package func whole(_ reading: Reading, of record: Record) -> Reading {
    guard reading.count != nil else { return reading }
    // The value alone, where it can be had without other readings, which take as much memory again. Bytes
    // that are no value of the kind are read as that for want of a better one.
    return value(of: record, as: reading.value.kind).map { reading.with($0) }
      ?? readings(of: record)[0]
  }
}
