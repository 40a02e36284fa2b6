import KVBytes
package import KVModel
package import SystemPackage

/// The entries of a store that was merged from copies, and those that only a copy has.
///
/// The merged files are diagnosed as a damaged store is, and so is each copy. The one from which most
/// entries are expected to be right is the base. An entry of another copy is used where the base has a
/// gap and no record of the key after that of the copy, or where it holds the same place of the log and
/// is likelier to be right. Of an older copy, only entries are used that the newer ones rather lost than
/// removed, or that the base has alike, but sets aside.
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
  /// Whether the merged files are written as they are: they are likely to be right, and lack no entry
  /// that a copy has.
  package let areFilesTaken: Bool
  /// The paths of copies with entries that the new store lacks, and how many of each; of older copies
  /// only if they have no key in common with it.
  package let passedOver: [(path: FilePath, count: Int)]

  /// A store that is examined.
  struct Examined {
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
    /// The records of the entries that are kept or, if none is, of the state that has most: a store
    /// that seems emptied may only have a damaged length.
    var entries: [(record: Record, evidence: Evidence)] {
      if let kept = plan?.kept, !kept.isEmpty { return kept.map { ($0.record, $0.evidence) } }
      let fullest = diagnosis.states.max { $0.snapshot.live.count < $1.snapshot.live.count }
      return fullest.map { state in
        state.snapshot.live.map { ($0, state.assessment(of: $0).evidence) }
      } ?? []
    }
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
    let history = MergedHistory(of: whole)
    areFilesTaken = merged.isLikely && current.allSatisfy { history.lackingCount(in: $0) == 0 }
    let base =
      areFilesTaken ? whole : Self.base(among: current, or: whole, isLikely: merged.isLikely)
    guard let plan = base.plan else { return nil }
    (store, diagnosis, self.plan) = (base.store, base.diagnosis, plan)
    var table = EntryTable(Self.candidates(of: plan, in: base.store, from: -1))
    var model = Model(base.files, named: merged.files)
    // A log that decodes to its end lacks no entries.
    if !areFilesTaken, base.state?.lacksBytes ?? false {
      Self.add(examined + [whole], to: base, merged, &table, &model)
    }
    added = table.added(from: copies.map { $0.first?.path })
    let ends = model.ends
    contents = StoreContents(
      table.entries.map { entry in
        let record = template.storesTypes || entry.copy < 0 ? entry.record : nil
        return .init(
          key: entry.key, value: entry.value, from: record?.moved(by: ends[entry.copy] ?? 0))
      })
    self.model = template.reading(model.files)
    var known = areFilesTaken ? history : MergedHistory(of: base)
    for entry in table.entries { known.add(entry.key, entry.value) }
    passedOver = zip(copies.indices, copies).compactMap { copy, files in
      let isOfStore = merged.older.contains(copy) && known.hasKey(of: examined[copy])
      let count = isOfStore ? 0 : known.lackingCount(in: examined[copy])
      return count > 0 ? files.first.map { ($0.path, count) } : nil
    }
  }

  /// Returns that of `copies` from which most is right, or `merged`; of copies of which each may be the
  /// newest, the last one named.
  private static func base(
    among copies: [Examined], or merged: Examined, isLikely: Bool
  ) -> Examined {
    copies.reduce(merged) { best, other in
      let isBetter =
        isLikely
        ? best.expectedRight <= other.expectedRight : best.expectedRight < other.expectedRight
      return isBetter ? other : best
    }
  }

  /// Adds what `others` have to the entries of `base`.
  private static func add(
    _ others: [Examined], to base: Examined, _ merged: MergedCopies<S>, _ table: inout EntryTable,
    _ model: inout Model
  ) {
    let removed = base.state.map { Self.removed(in: base.store, by: $0) } ?? [:]
    var aside: [Key: [UInt8]] = [:]
    for entry in base.plan?.unlikely ?? [] {
      aside[base.store.key(of: entry.record)] = base.store.value(of: entry.record)
    }
    for (number, other) in others.enumerated() {
      let isOlder = merged.older.contains(number)
      guard let plan = other.plan,
        model.append(other.files, like: other.store, as: number)
      else { continue }
      let own = candidates(of: plan, in: other.store, from: number)
      if isOlder {
        table.addAlike(own) { aside[$0.key] == $0.value }
        // Of a log that goes on, the bytes are in the merged files.
        if merged.isContinued { continue }
        table.addLost(own, share: base.lostShare) { removed[$0] != nil }
      } else {
        table.add(own) { entry in removed[entry.key].map { $0 > entry.record.offset } ?? false }
      }
    }
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

  /// The files of the store that the records of the new contents are in.
  private struct Model {
    private(set) var files: [StoreFile]
    /// By how many bytes the records of each copy are later there.
    private(set) var ends: [Int: Int] = [:]

    init(_ base: [StoreFile], named files: [StoreFile]) {
      self.files = files.map { file in
        base.first { $0.role == file.role && file.role != .external }
          .map { StoreFile(file.role, at: file.path, $0.image) } ?? file
      }
    }

    /// Appends the log of the copy `number`, so that the types of its records can be read there, and
    /// returns whether that is possible, or no types are stored.
    mutating func append(_ copy: [StoreFile], like store: S, as number: Int) -> Bool {
      guard store.storesTypes else { return true }
      guard !store.isEncrypted, let role = store.logAreas.first?.file,
        let index = files.firstIndex(where: { $0.role == role }),
        let image = copy.first(where: { $0.role == role })?.image,
        files[index].image.count <= FileImage.maximumCount - image.count
      else { return false }
      ends[number] = files[index].image.count
      files[index] = StoreFile(
        role, at: files[index].path, FileImage(files[index].image.bytes + image.bytes))
      return true
    }
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

  /// Adds entries of an older log whose keys are missing, and that are alike in the base.
  mutating func addAlike(_ others: [MergeCandidate], _ isAlike: (MergeCandidate) -> Bool) {
    for entry in others where places[entry.key] == nil && isAlike(entry) { append(entry) }
  }

  /// Adds entries of an older log whose keys are missing, if they were rather lost than removed, and not
  /// set again since: `share` of the newer log is lost.
  mutating func addLost(
    _ others: [MergeCandidate], share: Double, unless isRemoved: (Key) -> Bool
  ) {
    let missing = others.filter { places[$0.key] == nil && !isRemoved($0.key) }
    let known = others.filter { places[$0.key] != nil }
    let same = known.count { other in places[other.key].map { entries[$0].value } == other.value }
    let lost = min(1, Double(others.count) * share / Double(max(1, missing.count)))
    guard lost * Double(same) >= Double(known.count) / 2 else { return }
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
