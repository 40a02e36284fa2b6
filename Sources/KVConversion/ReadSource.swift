package import KVModel
package import KVRecovery

/// What was read of a store, before its values have types.
package enum ReadSource {
  /// A store with a log, and what is kept of it.
  case store(any Store, Diagnosis, RepairPlan)
  /// The entries of a format without a log.
  case table(EntryTable)

  /// Whether the format says what types values have.
  package var storesTypes: Bool {
    switch self {
    case .store(let store, _, _): store.storesTypes
    case .table: true
    }
  }

  /// The entries with types: those of `schema`, those that the format stores, or the likeliest by
  /// `typing`, or where that is `nil` by all that the store holds.
  package func typed(
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

  /// The store and the state that its log is read as; `nil` for a format without a log.
  var log: (store: any Store, state: StoreState)? {
    guard case .store(let store, let diagnosis, let plan) = self else { return nil }
    return (diagnosis.state(plan.state) ?? diagnosis.best).map { (store, $0) }
  }
}
