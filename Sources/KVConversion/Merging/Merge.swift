import KVBytes
package import KVModel
import KVSystem
import SystemPackage

/// The entries of several stores merged into one source, in the order of the stores.
package struct Merge {
  /// The merged entries.
  package let source: TypedSource
  /// A note for each value that conflicts with that of an earlier store, and how it was resolved.
  package let conflicts: [ConversionNote]

  /// Merges `sources`; `rule` decides which value is kept if they disagree on a key.
  ///
  /// If there is more than one source, all entries are held in memory. ``ConflictRule/error`` is
  /// for the caller to act on: here it keeps the last value.
  ///
  /// - Precondition: `sources` is not empty.
  /// - Throws: The errors of reading the sources.
  package init(_ sources: [TypedSource], onConflict rule: ConflictRule) throws(ConversionError) {
    guard sources.count > 1 else {
      source = sources[0]
      conflicts = []
      return
    }
    var entries: [(TypedEntry, [Loss])] = []
    var owners: [Int] = []
    var places: [Key: Int] = [:]
    var conflicts: [ConversionNote] = []
    for (index, source) in sources.enumerated() {
      try source.forEachEntry { (found, losses) throws(ConversionError) in
        let entry = found.within(source.stores.first)
        guard let place = places[entry.key] else {
          places[entry.key] = entries.count
          entries.append((entry, losses))
          owners.append(index)
          return
        }
        guard !entries[place].0.hasSameContent(as: entry) else { return }
        let loss = rule.loss(
          sources[owners[place]].label(owners[place]), source.label(index))
        conflicts.append(
          ConversionNote(entry.key, loss, at: entry.origin.place, in: entry.origin.store))
        if rule != .first {
          entries[place] = (entry, losses)
          owners[place] = index
        }
      }
    }
    self.conflicts = conflicts
    source = TypedSource(
      name: sources[0].name, formatName: sources[0].formatName,
      stores: sources.flatMap(\.stores), files: sources.flatMap(\.files),
      findings: sources.flatMap(\.findings),
      omitted: sources.flatMap { source in source.omitted.map { $0.within(source.stores.first) } },
      storesTypes: sources.allSatisfy(\.storesTypes), count: entries.count,
      entries: TypedSource.list(entries), records: Merge.records(of: sources),
      types: { sources.flatMap { $0.types() } })
  }

  /// Returns the histories of `sources`, one after the other; `nil` if no source has a history.
  private static func records(of sources: [TypedSource]) -> EntrySource.Records? {
    guard sources.contains(where: { $0.forEachRecord != nil }) else { return nil }
    return {
      (body: (HistoricRecord) throws(ConversionError) -> Void) throws(ConversionError) in
      for source in sources {
        try source.forEachRecord? { (record) throws(ConversionError) in
          try body(record.within(source.stores.first))
        }
      }
    }
  }
}

extension ConflictRule {
  /// Returns the loss for a conflict between the stores called `older` and `newer`.
  fileprivate func loss(_ older: String, _ newer: String) -> Loss {
    self == .first
      ? .conflict(kept: older, dropped: newer) : .conflict(kept: newer, dropped: older)
  }
}

extension TypedSource {
  /// Returns the name for messages of this store, the one at `index` of the merged stores.
  fileprivate func label(_ index: Int) -> String {
    "store \(index + 1) (\(files.first?.path.text ?? name))"
  }
}
