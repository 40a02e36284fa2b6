import KVBytes
package import KVModel
package import SystemPackage

/// The entries of a store that was merged from copies, and those that only a copy has.
///
/// The merged files are diagnosed as a damaged store is, and so is each copy. An entry of a copy is used
/// where the merged store has a gap and no record of the key after that of the copy, or where it holds
/// the same place of the log and is likelier to be right.
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

  /// An entry, and where it would be in the log.
  private struct Candidate {
    let record: Record
    let key: Key
    let value: [UInt8]
    let probability: Double
    /// The number of the copy.
    let copy: Int
  }

  /// Chooses among the entries of `files`, the merged ones, and `copies`; `nil` if the records of
  /// `files` cannot be read.
  package init?(
    of files: [StoreFile], and copies: [[StoreFile]], like template: S, by planner: RepairPlanner,
    now: UInt32
  ) {
    let (store, diagnosis) = template.reading(files).examined(now: now)
    (self.store, self.diagnosis) = (store, diagnosis)
    guard let plan = planner.plan(store, given: diagnosis) else { return nil }
    self.plan = plan
    var places: [Key: Int] = [:]
    var entries = Self.candidates(of: plan, in: store, from: -1)
    for (place, entry) in entries.enumerated() { places[entry.key] = place }
    let best = diagnosis.state(plan.state) ?? diagnosis.best
    var counts = [Int](repeating: 0, count: copies.count)
    var tail = copies.map { _ in 0 }
    var model = files
    let removed = best.map { Self.removed(in: store, by: $0) } ?? [:]
    let generation = store.traits.olderLogCount ?? 0
    for (number, copy) in copies.enumerated() where best?.lacksBytes ?? false {
      let (other, known) = template.reading(copy).examined(now: now)
      let isOlder = (other.traits.olderLogCount ?? 0) < generation
      guard let plan = planner.plan(other, given: known),
        let base = Self.append(copy, to: &model, like: other)
      else { continue }
      tail[number] = base
      for entry in Self.candidates(of: plan, in: other, from: number) {
        guard let place = places[entry.key] else {
          if let last = removed[entry.key], isOlder || last > entry.record.offset { continue }
          places[entry.key] = entries.count
          entries.append(entry)
          continue
        }
        let kept = entries[place]
        let isLater = !isOlder && kept.record.offset < entry.record.offset
        let isSamePlace = kept.record.offset == entry.record.offset
        let isBetter = isSamePlace && entry.probability > kept.probability
        if kept.value != entry.value, isLater || isBetter { entries[place] = entry }
      }
    }
    for entry in entries where entry.copy >= 0 { counts[entry.copy] += 1 }
    added = zip(copies, counts).compactMap { copy, count in
      count > 0 ? copy.first.map { ($0.path, count) } : nil
    }
    contents = StoreContents(
      entries.map { entry in
        let moved = entry.copy < 0 ? entry.record : entry.record.moved(by: tail[entry.copy])
        let isTyped = entry.copy < 0 || template.storesTypes
        return .init(key: entry.key, value: entry.value, from: isTyped ? moved : nil)
      })
    self.model = template.reading(model)
  }

  private static func candidates(
    of plan: RepairPlan, in store: S, from copy: Int
  ) -> [Candidate] {
    plan.kept.map {
      Candidate(
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
