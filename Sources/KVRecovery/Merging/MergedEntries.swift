import KVBytes
package import KVModel
package import SystemPackage

/// The entries of a store that was merged from copies, and those that only a copy has.
///
/// The merged files are diagnosed as a damaged store is, and so is each copy. The one from which most
/// entries are expected to be right is the base. An entry of another copy is used where the base has a
/// gap and no record of the key after that of the copy, or where it holds the same place of the log and
/// is likelier to be right. Of an older copy, only entries are used that the newer ones rather lost than
/// removed.
package struct MergedEntries<S: Store> {
  /// The merged store, with its diagnosis and what is kept of it.
  package let store: S
  package let diagnosis: Diagnosis
  package let plan: RepairPlan
  /// The new contents, for a store like ``model``.
  package let contents: StoreContents
  /// The store that the records of the contents are in.
  package let model: S
  /// The paths of the copies that entries were added from, and how many from each.
  package let added: [(path: FilePath, count: Int)]

  /// A store that is examined.
  private struct Examined {
    let files: [StoreFile]
    let store: S
    let diagnosis: Diagnosis
    let plan: RepairPlan?

    init(_ files: [StoreFile], like template: S, by planner: RepairPlanner, now: UInt32) {
      self.files = files
      (store, diagnosis) = template.reading(files).examined(now: now)
      plan = planner.plan(store, given: diagnosis)
    }

    var expectedRight: Double { plan?.expectedRight ?? -1 }
    var state: StoreState? { plan.flatMap { diagnosis.state($0.state) } ?? diagnosis.best }
    /// The share of the log in which no record could be read.
    var lostShare: Double {
      guard let state, let log = state.log, log.count > 0 else { return 1 }
      return Double(state.gaps.reduce(0) { $0 + $1.extent.count }) / Double(log.count)
    }
  }

  /// Chooses among the entries of `merged` and `copies`; `nil` if the records cannot be read.
  package init?(
    of merged: MergedCopies<S>, and copies: [[StoreFile]], like template: S,
    by planner: RepairPlanner, now: UInt32
  ) {
    let examined = copies.map { Examined($0, like: template, by: planner, now: now) }
    let whole = Examined(merged.files, like: template, by: planner, now: now)
    let current = examined.indices.filter { !merged.older.contains($0) }.map { examined[$0] }
    let base = current.reduce(whole) { $0.expectedRight < $1.expectedRight ? $1 : $0 }
    guard let plan = base.plan else { return nil }
    (store, diagnosis, self.plan) = (base.store, base.diagnosis, plan)
    var table = EntryTable(Self.candidates(of: plan, in: base.store, from: -1))
    var tail = copies.map { _ in 0 }
    var model = merged.files.map { file in
      base.files.first { $0.role == file.role && file.role != .external }
        .map { StoreFile(file.role, at: file.path, $0.image) } ?? file
    }
    let removed = base.state.map { Self.removed(in: base.store, by: $0) } ?? [:]
    let lacksBytes = base.state?.lacksBytes ?? false
    for (number, other) in ([whole] + examined).enumerated() where lacksBytes {
      let isOlder = number > 0 && merged.older.contains(number - 1)
      if isOlder && merged.isContinued { continue }
      guard let plan = other.plan, let end = Self.append(other.files, to: &model, like: other.store)
      else { continue }
      if number == 0 { tail.append(end) } else { tail[number - 1] = end }
      let own = Self.candidates(
        of: plan, in: other.store, from: number == 0 ? copies.count : number - 1)
      if isOlder {
        table.addLost(own, share: base.lostShare) { removed[$0] != nil }
      } else {
        table.add(own) { entry in removed[entry.key].map { $0 > entry.record.offset } ?? false }
      }
    }
    added = table.added(from: copies.map { $0.first?.path })
    contents = StoreContents(
      table.entries.map { [tail] entry in
        let moved = entry.copy < 0 ? entry.record : entry.record.moved(by: tail[entry.copy])
        let isTyped = entry.copy < 0 || template.storesTypes
        return .init(key: entry.key, value: entry.value, from: isTyped ? moved : nil)
      })
    self.model = template.reading(model)
  }

  private static func candidates(
    of plan: RepairPlan, in store: S, from copy: Int
  ) -> [MergeCandidate] {
    plan.kept.map {
      MergeCandidate(
        record: $0.record, key: store.key(of: $0.record), value: store.value(of: $0.record),
        probability: $0.probability?.value ?? 0, copy: copy)
    }
  }

  /// Returns the offset of the last removal of each key.
  private static func removed(in store: S, by state: StoreState) -> [Key: Int] {
    guard let log = state.log else { return [:] }
    var removed: [Key: Int] = [:]
    store.forEachRecord(in: log, scan: state.scan, around: state.gaps) { event in
      guard case .record(let record) = event, record.operation != .put else { return }
      removed[store.key(of: record)] = record.offset
    }
    return removed
  }

  /// Appends the log of a copy to the files of the model, so that the types of its records can be read
  /// there, and returns by how many bytes they move; `nil` if that is not possible.
  private static func append(
    _ copy: [StoreFile], to model: inout [StoreFile], like store: S
  ) -> Int? {
    guard store.storesTypes else { return 0 }
    guard !store.isEncrypted, let role = store.logAreas.first?.file,
      let index = model.firstIndex(where: { $0.role == role }),
      let file = copy.first(where: { $0.role == role }),
      model[index].image.count <= FileImage.maximumCount - file.image.count
    else { return nil }
    let base = model[index].image.count
    model[index] = StoreFile(
      role, at: model[index].path, FileImage(model[index].image.bytes + file.image.bytes))
    return base
  }
}

/// An entry, and where it would be in the log.
private struct MergeCandidate {
  let record: Record
  let key: Key
  let value: [UInt8]
  let probability: Double
  /// The number of the copy; -1 for the base.
  let copy: Int
}

/// The entries that were chosen so far, by key.
private struct EntryTable {
  private(set) var entries: [MergeCandidate] = []
  private var places: [Key: Int] = [:]

  init(_ entries: [MergeCandidate]) {
    for entry in entries { append(entry) }
  }

  private mutating func append(_ entry: MergeCandidate) {
    places[entry.key] = entries.count
    entries.append(entry)
  }

  /// Adds entries of a copy of the same log, but none for which `isStruck` holds.
  mutating func add(_ others: [MergeCandidate], unless isStruck: (MergeCandidate) -> Bool) {
    for entry in others where !isStruck(entry) {
      guard let place = places[entry.key] else {
        append(entry)
        continue
      }
      let kept = entries[place]
      let isLater = kept.record.offset < entry.record.offset
      let isBetter =
        kept.record.offset == entry.record.offset && entry.probability > kept.probability
      if kept.value != entry.value, isLater || isBetter { entries[place] = entry }
    }
  }

  /// Adds entries of an older log whose keys are missing, if as many are expected to be lost as are
  /// missing: `share` of the newer log is lost. Otherwise they were probably removed.
  mutating func addLost(
    _ others: [MergeCandidate], share: Double, unless isRemoved: (Key) -> Bool
  ) {
    let missing = others.filter { places[$0.key] == nil && !isRemoved($0.key) }
    guard Double(others.count) * share >= Double(missing.count) / 2 else { return }
    for entry in missing { append(entry) }
  }

  /// Returns how many entries are from each of the copies at `paths`.
  func added(from paths: [FilePath?]) -> [(path: FilePath, count: Int)] {
    paths.enumerated().compactMap { number, path in
      let count = entries.count { $0.copy == number }
      return count > 0 ? path.map { ($0, count) } : nil
    }
  }
}

extension Record {
  /// Returns the record `count` bytes later in its file.
  fileprivate func moved(by count: Int) -> Record {
    func moved(_ range: Range<Int>) -> Range<Int> {
      range.lowerBound + count..<range.upperBound + count
    }
    return Record(
      operation, in: file, at: moved(extent.range), key: moved(key), value: moved(value),
      integrity: integrity)
  }
}
