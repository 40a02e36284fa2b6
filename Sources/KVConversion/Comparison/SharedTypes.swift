import KVModel
import KVRecovery

/// The types of two stores that are compared, so that a key has one type in both.
///
/// Where one store has types and the other none, they are those of the first. Where none has, the values of
/// both are judged together; a key whose values come out as two types nevertheless has one that both values
/// can be, where there is one.
struct SharedTypes {
  /// What persons say, and the types that keys of both stores have beside that.
  let schema: TypeSchema
  /// What the values of both stores are likely to be.
  let typing: StoreTyping

  /// The types of `first` and `second`, those of `schema` before others.
  init(_ first: ReadSource, _ second: ReadSource, _ schema: TypeSchema) {
    let typing = StoreTyping(of: [first.log, second.log].compactMap(\.self))
    self.typing = typing
    var rules: [TypeSchema.Rule] = []
    switch (first, second) {
    case (.store(let one, _, let plan), .store(let other, _, let otherPlan))
    where !one.storesTypes && !other.storesTypes:
      let records = SharedTypes.records(of: one, plan)
      rules = SharedTypes.rules(for: other, otherPlan, schema) { key, record, bytes in
        guard let before = records[key], one.value(of: before) != bytes else { return [] }
        let kinds = typing.kinds(of: record, in: other)
        let kind = typing.kinds(of: before, in: one)[0]
        if kinds[0] == kind { return [] }
        return ([kinds[0], kind] + kinds).filter { one.value(of: before, as: $0) != nil }
      }
    case (_, .store(let store, _, let plan)) where !store.storesTypes:
      let kinds = SharedTypes.kinds(of: first, schema)
      rules = SharedTypes.rules(for: store, plan, schema) { key, _, _ in kinds[key] ?? [] }
    case (.store(let store, _, let plan), _) where !store.storesTypes:
      let kinds = SharedTypes.kinds(of: second, schema)
      rules = SharedTypes.rules(for: store, plan, schema) { key, _, _ in kinds[key] ?? [] }
    default: break
    }
    self.schema = rules.isEmpty ? schema : TypeSchema(schema.rules + rules)
  }

  /// The records that `plan` keeps of `store`, by key.
  private static func records<S: Store>(of store: S, _ plan: RepairPlan) -> [Key: Record] {
    var records: [Key: Record] = [:]
    for kept in plan.kept { records[store.key(of: kept.record)] = kept.record }
    return records
  }

  /// The types of a store that has some.
  private static func kinds(of source: ReadSource, _ schema: TypeSchema) -> [Key: [Value.Kind]] {
    var kinds: [Key: [Value.Kind]] = [:]
    for rule in source.typed(by: schema).types() {
      if case .key(let key) = rule.subject { kinds[key] = [rule.kind] }
    }
    return kinds
  }

  /// Rules for those records that `plan` keeps of `store` and that `schema` says nothing of: the first of
  /// the types which `kinds` returns for the key, the record and its bytes, that has such a value.
  private static func rules<S: Store>(
    for store: S, _ plan: RepairPlan, _ schema: TypeSchema,
    _ kinds: (Key, Record, [UInt8]) -> [Value.Kind]
  ) -> [TypeSchema.Rule] {
    plan.kept.compactMap { kept in
      let key = store.key(of: kept.record)
      guard schema.kind(of: key) == nil else { return nil }
      return kinds(key, kept.record, store.value(of: kept.record))
        .first { store.value(of: kept.record, as: $0) != nil }
        .map { TypeSchema.Rule(.key(key), $0) }
    }
  }
}

extension StoreTyping {
  /// The types that the value of `record`, a record of `store`, can have, the likeliest first.
  fileprivate func kinds<S: Store>(of record: Record, in store: S) -> [Value.Kind] {
    readings(of: record, in: store, keeping: StoreTyping.sampleCount).map(\.value.kind)
  }
}
