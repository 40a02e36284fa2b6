import KVBytes
import KVModel
import KVRecovery
import KVSystem
import SystemPackage

extension FuzzTarget {
  /// Repairs a store.
  ///
  /// The written store must be clean, and have the entries of the plan.
  ///
  ///     offset  count  field
  ///          0      1  format  modulo 3: MMKV, FastKV for iOS, FastKV for Android
  ///          1      …  an input of that format's target
  public static let repair = FuzzTarget(name: "repair") { bytes throws(Violation) in
    var input = Input(bytes)
    let format = input.byte()
    let rest = input.remainder()
    switch format % 3 {
    case 0:
      let input = MMKVInput(rest)
      try expectRepair(input.format, input.files)
    case 1:
      let input = AppleInput(rest)
      try expectRepair(input.format, input.files)
    default:
      let input = AndroidInput(rest)
      if !input.files.isEmpty { try expectRepair(input.format, input.files) }
    }
  }
}

/// Expects that every executable plan for the store leads to a clean store with the entries that
/// the plan keeps.
private func expectRepair<F: StoreFormat>(_ format: F, _ files: [StoreFile]) throws(Violation) {
  let found = format.open(files)
  let store = found.corrected()
  let diagnosis = Diagnosis(of: store, now: now)
  for strategy in [FixedStrategy.recover, .discard] {
    for leastProbability in [nil, Probability.evenOdds] {
      var planner = RepairPlanner(strategy: strategy)
      planner.appliesEngineLimits = true
      planner.leastProbability = leastProbability
      guard let plan = planner.plan(store, given: diagnosis) else { continue }
      for entry in plan.kept + plan.aside {
        try expectWithin(entry.record.extent, store, "an entry of a plan")
      }
      try expectExecuted(plan, format, store, isWithinLimits: true)
    }
  }
  if !store.corrections.isEmpty { try expectEngineLike(format, found) }
}

/// Expects the same of the plan that keeps the entries that the engine would keep.
private func expectEngineLike<F: StoreFormat>(_ format: F, _ store: F.StoreType) throws(Violation) {
  var planner = RepairPlanner(strategy: .recover)
  planner.isLikeEngine = true
  let diagnosis = Diagnosis(of: store, now: now)
  if let plan = planner.plan(store, given: diagnosis) {
    try expectExecuted(plan, format, store, isWithinLimits: false)
  }
}

/// Expects that `plan` leads to a clean store.
///
/// `isWithinLimits` is `true` if the plan leaves out entries that the engine cannot store.
private func expectExecuted<F: StoreFormat>(
  _ plan: RepairPlan, _ format: F, _ store: F.StoreType, isWithinLimits: Bool
) throws(Violation) {
  let contents = plan.contents(of: store)
  let written: [EncodedFile]
  do throws(EncodingError) {
    written = try format.encode(contents, like: store, cipher: .keep)
  } catch {
    switch error {
    // This build has no ciphers, or the records would not fit in a file.
    case .noCipher, .tooLarge: return
    case .neverEncrypted: throw Violation("no other cipher is asked for", error.message)
    case .unreadableEntry:
      guard isWithinLimits else { return }
      throw Violation("a plan within the engine's limits can be written", error.message)
    }
  }
  let again = format.open(
    written.map { StoreFile($0.role, at: FilePath("fuzz/\($0.name)"), FileImage($0.bytes)) }
  ).corrected()
  let diagnosis = Diagnosis(of: again, now: now)
  guard diagnosis.verdict == .clean, let best = diagnosis.best else {
    throw Violation(
      "what is repaired is clean",
      "\(diagnosis.verdict), \(diagnosis.findings.map { "\($0.code): \($0.message)" })")
  }
  var records: [Key: Record] = [:]
  for record in best.snapshot.live { records[again.key(of: record)] = record }
  guard records.count == contents.entries.count else {
    throw Violation(
      "what is repaired has the entries of its plan",
      "\(records.count) of \(contents.entries.count)")
  }
  for entry in contents.entries {
    guard let record = records[entry.key] else {
      throw Violation("what is repaired has the entries of its plan", "not \(entry.key.bytes)")
    }
    // A format that undoes a mistake of its engine stores the same value in other bytes. A format
    // whose values all need an expiry time adds one that says "never".
    let value = again.value(of: record)
    let hasNewTime = value == entry.value + [0, 0, 0, 0] && again.expiry(of: record) == 0
    guard value == entry.value || hasNewTime || isSame(record, again, entry.source, store) else {
      throw Violation(
        "what is repaired has the values of its plan",
        "\(entry.key.bytes): \(value) for \(entry.value)")
    }
  }
}

/// Returns whether two records are read as the same value.
private func isSame<S: Store>(_ record: Record, _ store: S, _ source: Record?, _ other: S) -> Bool {
  guard store.storesTypes, let source, let value = store.readings(of: record).first?.value,
    let original = other.readings(of: source).first?.value
  else { return false }
  return value.isSame(as: original)
}
