import KVBytes
package import KVModel
import KVSystem
import SystemPackage

/// The entries of several stores as one, in the order of the stores.
package struct Merge {
  /// The merged entries.
  package let source: TypedSource
  /// The keys that stores disagree on, each with what was done about it.
  package let conflicts: [ConversionNote]

  /// Merges `sources`, of which there is at least one; `rule` decides where they disagree.
  ///
  /// Of more than one source, all entries are held in memory.
  ///
  /// - Throws: What reading them throws.
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
      try source.forEachEntry { (entry, losses) throws(ConversionError) in
        guard let place = places[entry.key] else {
          places[entry.key] = entries.count
          entries.append((entry, losses))
          owners.append(index)
          return
        }
        guard !entries[place].0.hasSameContent(as: entry) else { return }
        let (older, newer) = (sources[owners[place]].label(owners[place]), source.label(index))
        let keepsOlder = rule == .first
        conflicts.append(
          ConversionNote(
            entry.key,
            .conflict(kept: keepsOlder ? older : newer, dropped: keepsOlder ? newer : older),
            at: entry.origin.extent))
        if !keepsOlder {
          entries[place] = (entry, losses)
          owners[place] = index
        }
      }
    }
    self.conflicts = conflicts
    source = TypedSource(
      name: sources[0].name, formatName: sources[0].formatName,
      files: sources.flatMap(\.files), findings: sources.flatMap(\.findings),
      omitted: sources.flatMap(\.omitted), count: entries.count,
      entries: TypedSource.list(entries), types: { sources.flatMap { $0.types() } })
  }
}

extension TypedSource {
  /// How messages name the store at `index` of the merged ones.
  fileprivate func label(_ index: Int) -> String {
    "store \(index + 1) (\(files.first?.path.text ?? name))"
  }
}
