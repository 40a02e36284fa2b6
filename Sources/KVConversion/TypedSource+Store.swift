package import KVModel
package import KVRecovery
import KVSystem
import SystemPackage

extension TypedSource {
  /// Creates a source of the entries that `plan` keeps of `store`.
  ///
  /// A type comes from the record if the format stores types, from `schema`, or from `typing`. If
  /// `typing` is `nil`, the store's own values are surveyed.
  ///
  /// Values are read when they are needed, a few megabytes ahead, so memory use does not grow with
  /// their number.
  ///
  /// - Precondition: `diagnosis` and `plan` were made for `store`.
  package init<S: Store>(
    _ store: S, _ diagnosis: Diagnosis, _ plan: RepairPlan, schema: TypeSchema = .empty,
    likely typing: StoreTyping? = nil, assumesLikeliest: Bool = false
  ) {
    let state = diagnosis.state(plan.state) ?? diagnosis.best
    let likely = typing ?? StoreTyping(of: store, by: state)
    let typing = ValueTyping(
      of: store, by: likely, schema: schema, assumesLikeliest: assumesLikeliest)
    self.init(
      name: store.files.first?.path.nameOfCopy ?? "store", formatName: store.formatName,
      files: store.files,
      findings: diagnosis.findings.map { StoreFinding($0, in: store.files) },
      omitted: TypedSource.omitted(from: plan, of: store),
      storesTypes: store.storesTypes, count: plan.kept.count,
      entries: TypedSource.entries(plan.kept, of: store, typedBy: typing),
      records: state.map { TypedSource.records(of: store, by: $0) },
      types: {
        var weighed = WeighedValues()
        return plan.kept.map { kept in
          let decision = typing.decision(for: kept.record, &weighed)
          let kind = decision.value.kind
          // Bytes that fit no type are read as data, but they are not stored as data; nor is a time
          // that an integer can be a type.
          func isStored(_ kind: Value.Kind) -> Bool {
            store.storesTypes || store.value(of: kept.record, as: kind) != nil
          }
          return TypeSchema.Rule(
            .key(store.key(of: kept.record)), isStored(kind) ? kind : .raw,
            readings: decision.isCertain
              ? []
              : likely.kinds(of: kept.record, in: store, &weighed).filter(isStored))
        }
      })
  }

  /// Returns notes about the entries that `plan` does not keep, unless that was asked for.
  private static func omitted(from plan: RepairPlan, of store: some Store) -> [ConversionNote] {
    let names = store.files.roleNames
    func note(_ record: Record, _ loss: Loss) -> ConversionNote {
      ConversionNote(store.key(of: record), loss, at: names.place(record.extent))
    }
    let dropped = plan.dropped.filter { !$0.isRequested }.map {
      // A store whose values are hidden has its own words for a value that is missing.
      note($0.record, .leftOut(store.reasonForNoValue(of: $0.record) ?? $0.reason))
    }
    return dropped
      + plan.aside.map { note($0.record, $0.refusal.map { .leftOut($0) } ?? .unlikely) }
  }

  private static func entries<S: Store>(
    _ entries: [RepairPlan.KeptEntry], of store: S, typedBy typing: ValueTyping<S>
  ) -> Entries {
    { (body: (TypedEntry, [Loss]) throws(ConversionError) -> Void) throws(ConversionError) in
      var typed = TypedEntries(entries, typedBy: typing)
      try WorkProgress.forEach(of: entries, .entries) { (_) throws(ConversionError) in
        let (entry, losses) = typed.next()
        try body(entry, losses)
      }
    }
  }

  private static func records<S: Store>(
    of store: S, by state: StoreState
  ) -> EntrySource.Records {
    let names = store.files.roleNames
    return {
      (body: (HistoricRecord) throws(ConversionError) -> Void) throws(ConversionError) in
      var failure: ConversionError?
      History(of: store, by: state).forEach { event in
        guard failure == nil, case .record(let record, let fate, let assessment) = event else {
          return
        }
        do throws(ConversionError) {
          try body(
            HistoricRecord(
              key: store.key(of: record), operation: record.operation.name,
              state: fate.rawValue,
              origin: EntryOrigin(
                assessment.evidence, cautions: assessment.cautions, at: names.place(record.extent),
                raw: record.operation == .remove || store.reasonForNoValue(of: record) != nil
                  ? nil : store.value(of: record))))
        } catch {
          failure = error
        }
      }
      if let failure { throw failure }
    }
  }
}
