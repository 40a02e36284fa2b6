package import KVModel
import KVRecovery

/// The choice of a type for each value of a store, in which no guess is silent.
///
/// The first of these applies: the type that the record states; the type that the schema gives; the
/// only type that fits; the likeliest type given everything in the store, if it is decided or the
/// caller accepts the likeliest. Otherwise, the value stays bytes.
struct ValueTyping<S: Store>: Sendable {
  private let store: S
  private let names: RoleNames
  private let schema: TypeSchema
  private let typing: StoreTyping
  private let assumesLikeliest: Bool

  /// Whether types have to be weighed, because records do not state them.
  var weighs: Bool { !store.storesTypes }

  init(of store: S, by typing: StoreTyping, schema: TypeSchema, assumesLikeliest: Bool) {
    self.store = store
    names = store.files.roleNames
    self.schema = schema
    self.typing = typing
    self.assumesLikeliest = assumesLikeliest
  }

  /// Returns the type that is chosen for the value of `record`; `weighed` is a cache for many
  /// records.
  func decision(for record: Record, _ weighed: inout WeighedValues) -> TypeDecision {
    if store.storesTypes { return stored(store.readings(of: record)) }
    if !schema.rules.isEmpty, let kind = schema.kind(of: store.key(of: record)) {
      if let value = store.value(of: record, as: kind) {
        return TypeDecision(value: value, losses: [], isCertain: true)
      }
      let value = store.untyped(record)
      return TypeDecision(value: value, losses: [.wrongType(kind, value)], isCertain: false)
    }
    let judgement = typing.judge(record, in: store, &weighed)
    let candidates = weighed.candidates
    let isOnly = candidates.count == 1
    guard isOnly || judgement.isDecided || assumesLikeliest else {
      let readings = candidates.map {
        store.reading(of: record, as: $0, keeping: StoreTyping.sampleCount)
      }
      return TypeDecision(
        value: store.untyped(record), losses: [.ambiguousType(readings)], isCertain: false)
    }
    let reading = store.reading(of: record, as: candidates[0], keeping: .max)
    let reason =
      isOnly
      ? reading.reason
      : judgement.isDecided
        ? judgement.reason : "the likeliest type, as requested: \(reading.reason)"
    let losses = weighed.taken.losses(of: reading.value.kind, reason, among: candidates)
    return TypeDecision(value: reading.value, losses: losses, isCertain: isOnly)
  }

  /// Returns the entry of `kept` with a typed value, and the losses of typing it.
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
    // A second reading of the stored type means that the value is damaged.
    if readings.dropFirst().contains(where: { $0.value.kind == first.value.kind }) {
      losses.append(.assumedType(first.value.kind, first.reason))
    }
    if let name = first.className { losses.append(.classNotTold(name)) }
    return TypeDecision(value: first.value, losses: losses, isCertain: true)
  }
}

extension Store {
  /// Returns the value of `record` as bytes without a type.
  func untyped(_ record: Record) -> Value {
    value(of: record, as: .raw) ?? .bytes(value(of: record))
  }
}

extension ValueReading {
  /// Returns `reading`, one of the readings of `record`, with the whole value if it has only the
  /// beginning.
  package func whole(_ reading: Reading, of record: Record) -> Reading {
    guard reading.count != nil else { return reading }
    // Reading the value as this one type avoids the other readings, which take as much memory
    // again. It fails for a reading whose bytes are not a valid value of its type, which is there
    // for want of a better one.
    return value(of: record, as: reading.value.kind).map { reading.with($0) }
      ?? readings(of: record)[0]
  }
}
