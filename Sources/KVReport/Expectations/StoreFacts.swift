package import KVModel
package import KVRecovery

/// The facts about a store that expectations can state.
package struct StoreFacts {
  /// A state that the files support.
  struct State {
    let name: String
    let entries: Int
    let evidence: String
  }

  /// An entry that `dump` prints.
  struct Entry {
    let key: Key
    /// The value's bytes; `nil` if the format has none.
    let raw: [UInt8]?
    let evidence: Evidence
    let cautions: [Caution]
    /// The expiry, in seconds since 1970; 0 for never.
    let expiry: UInt32
    /// Returns all readings of the value, the likeliest first.
    let readings: () -> [Value]
  }

  let formatName: String
  let isEncrypted: Bool
  let version: Int
  let verdict: Verdict
  let findings: [Finding]
  let states: [State]
  let predictions: [EnginePrediction]
  let entries: [Entry]
  /// The numbers of entries that `check` and `dump` count; `dump` leaves out what no engine could
  /// hold.
  let entryCounts: Set<Int>

  /// Gathers the facts of `store`, whose entries are those of `plan`.
  ///
  /// - Precondition: `diagnosis` and `plan` are of `store`.
  package init<S: Store>(_ store: S, _ diagnosis: Diagnosis, _ plan: RepairPlan?) {
    formatName = store.formatName
    isEncrypted = store.isEncrypted
    version = store.version
    verdict = diagnosis.verdict
    findings = diagnosis.findings
    states = diagnosis.states.map {
      State(
        name: $0.name.rawValue, entries: $0.entries.entries,
        evidence: $0.weakestEvidence.rawValue)
    }
    predictions = diagnosis.predictions
    entries = (plan?.kept ?? []).map { kept in
      Entry(
        key: store.key(of: kept.record), raw: store.value(of: kept.record),
        evidence: kept.evidence, cautions: kept.cautions,
        expiry: store.expiry(of: kept.record) ?? 0,
        readings: { store.readings(of: kept.record).map(\.value) })
    }
    entryCounts = [
      diagnosis.entries.entries, entries.count { $0.evidence != .guess },
    ]
  }

  /// Gathers the facts of a file whose format has no log.
  package init(_ table: EntryTable, verdict: Verdict) {
    formatName = table.formatName
    isEncrypted = false
    version = 0
    self.verdict = verdict
    findings = table.findings
    states = []
    predictions = EnginePrediction.all(for: table)
    entries = table.entries.map { entry in
      Entry(
        key: entry.key, raw: entry.origin.raw, evidence: entry.origin.evidence,
        cautions: entry.origin.cautions, expiry: entry.expiry, readings: { [entry.value] })
    }
    entryCounts = [entries.count { $0.evidence != .guess }]
  }
}
