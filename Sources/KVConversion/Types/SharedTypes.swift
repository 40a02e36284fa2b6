import KVModel
import KVRecovery

/// Types for the values of two stores, chosen so that a key has the same type in both.
///
/// If only one store has types, they apply to the values of the other that they fit. If neither has
/// types, the values of both are judged together. If a key's two values still get different types,
/// a type that fits both is used, if there is one.
package struct SharedTypes {
  /// The rules of the given schema, followed by rules for keys that both stores have.
  let schema: TypeSchema
  /// The typing that judges the values of both stores together.
  let typing: StoreTyping

  /// Chooses types for the values of `first` and `second`; `schema` takes precedence.
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

  /// Returns `sources` with types, for a merge: those that have types apply to the values of the others
  /// that they fit; `schema` takes precedence.
  package static func typed(
    _ sources: [ReadSource], by schema: TypeSchema, assumesLikeliest: Bool
  ) -> [TypedSource] {
    var known: [Key: [Value.Kind]] = [:]
    if sources.count > 1 {
      for source in sources where source.storesTypes {
        known.merge(kinds(of: source, schema)) { $0 + $1 }
      }
    }
    return sources.map { source in
      guard !known.isEmpty else {
        return source.typed(by: schema, assumesLikeliest: assumesLikeliest)
      }
      return typed(source, by: schema, assumesLikeliest: assumesLikeliest) { known[$0] ?? [] }
    }
  }

  /// Returns `source` with types: of a format without types, `schema` decides them, then the first of
  /// those `known` of a key that fits.
  static func typed(
    _ source: ReadSource, by schema: TypeSchema, assumesLikeliest: Bool,
    known: (Key) -> [Value.Kind]
  ) -> TypedSource {
    var rules: [TypeSchema.Rule] = []
    if case .store(let store, _, let plan) = source, !store.storesTypes {
      rules = self.rules(for: store, plan, schema) { key, _, _ in known(key) }
    }
    return source.typed(
      by: rules.isEmpty ? schema : TypeSchema(schema.rules + rules),
      assumesLikeliest: assumesLikeliest)
  }

  /// Returns the records that `plan` keeps of `store`, by key.
  private static func records<S: Store>(of store: S, _ plan: RepairPlan) -> [Key: Record] {
    var records: [Key: Record] = [:]
    for kept in plan.kept { records[store.key(of: kept.record)] = kept.record }
    return records
  }

  /// Returns the type of each key in `source`, whose format stores types.
  private static func kinds(of source: ReadSource, _ schema: TypeSchema) -> [Key: [Value.Kind]] {
    var kinds: [Key: [Value.Kind]] = [:]
    for rule in source.typed(by: schema).types() {
      if case .key(let key) = rule.subject { kinds[key] = [rule.kind] }
    }
    return kinds
  }

  /// Returns rules for the records that `plan` keeps of `store` and that `schema` has no rule for.
  ///
  /// `kinds` gets the key, the record and the value bytes, and returns types to try. The first that
  /// fits the bytes becomes the rule; if none fits, there is no rule.
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
  /// Returns the types that the value of `record` in `store` can have, the likeliest first.
  fileprivate func kinds<S: Store>(of record: Record, in store: S) -> [Value.Kind] {
    var weighed = WeighedValues()
    return kinds(of: record, in: store, &weighed)
  }
}
