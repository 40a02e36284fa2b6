package import KVModel
package import KVRecovery

/// The content of a store, before its values have types.
package enum ReadSource {
  /// A store with a log, its diagnosis, and the plan of what to keep.
  case store(any Store, Diagnosis, RepairPlan)
  /// The entries of a format without a log.
  case table(EntryTable)

  /// Whether the format stores the types of values.
  package var storesTypes: Bool {
    switch self {
    case .store(let store, _, _): store.storesTypes
    case .table: true
    }
  }

  /// Whether it is encrypted.
  package var isEncrypted: Bool {
    if case .store(let store, _, _) = self { store.isEncrypted } else { false }
  }

  /// Returns the entries with types.
  ///
  /// A type comes from the format if it stores types, from `schema`, or from `typing`. If `typing`
  /// is `nil`, the store's own values are surveyed. `assumesLikeliest` accepts the likeliest type
  /// even if it is not decided.
  func typed(
    by schema: TypeSchema = .empty, likely typing: StoreTyping? = nil,
    assumesLikeliest: Bool = false
  ) -> TypedSource {
    switch self {
    case .store(let store, let diagnosis, let plan):
      TypedSource(
        store, diagnosis, plan, schema: schema, likely: typing, assumesLikeliest: assumesLikeliest)
    case .table(let table): TypedSource(table)
    }
  }

  /// The keys of all records, also of those that were superseded or removed.
  package var keys: Set<Key> {
    switch self {
    case .table(let table): return Set(table.entries.map(\.key))
    case .store(let store, _, let plan):
      var keys = Set(plan.kept.map { store.key(of: $0.record) })
      if let state = log?.state { Self.add(keysOf: store, by: state, to: &keys) }
      return keys
    }
  }

  private static func add<S: Store>(
    keysOf store: S, by state: StoreState, to keys: inout Set<Key>
  ) {
    History(of: store, by: state).forEach { event in
      if case .record(let record, _, _) = event { keys.insert(store.key(of: record)) }
    }
  }

  /// The store, and the state in which its log is read; `nil` for a format without a log.
  var log: (store: any Store, state: StoreState)? {
    guard case .store(let store, let diagnosis, let plan) = self else { return nil }
    return (diagnosis.state(plan.state) ?? diagnosis.best).map { (store, $0) }
  }
}
