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
    var merged = MergedEntries(onConflict: rule)
    for (index, source) in sources.enumerated() {
      try source.forEachEntry { (entry, losses) throws(ConversionError) in
        merged.add(entry.within(source.stores.first), losses, of: index, sources)
      }
    }
    let entries = merged.entries
    conflicts = merged.conflicts
    source = TypedSource(
      name: sources[0].name, formatName: sources[0].formatName,
      stores: sources.flatMap(\.stores), files: sources.flatMap(\.files),
      findings: sources.flatMap(\.findings),
      omitted: sources.flatMap { source in source.omitted.map { $0.within(source.stores.first) } },
      storesTypes: sources.allSatisfy(\.storesTypes), count: entries.count,
      entries: TypedSource.list(entries), records: Merge.records(of: sources),
      types: { [owners = merged.ownerOfKey] in
        // The type of a value that was not kept says nothing about the one that was.
        sources.enumerated().flatMap { index, source in
          source.types().filter { rule in
            if case .key(let key) = rule.subject { owners(key) == index } else { true }
          }
        }
      })
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

/// The entries of the sources so far.
private struct MergedEntries {
  private let rule: ConflictRule
  private(set) var entries: [(TypedEntry, [Loss])] = []
  private(set) var conflicts: [ConversionNote] = []
  /// The index of the source of each entry.
  private var owners: [Int] = []
  /// The index of the entry of each key.
  private var places: [Key: Int] = [:]

  init(onConflict rule: ConflictRule) { self.rule = rule }

  /// Returns the index of the source whose value of a key is kept.
  var ownerOfKey: (Key) -> Int? {
    { [places, owners] key in places[key].map { owners[$0] } }
  }

  /// Adds an entry of the source at `index` of `sources`, unless its key has the same value already,
  /// or another one that is kept.
  mutating func add(
    _ entry: TypedEntry, _ losses: [Loss], of index: Int, _ sources: [TypedSource]
  ) {
    guard let place = places[entry.key] else {
      places[entry.key] = entries.count
      entries.append((entry, losses))
      owners.append(index)
      return
    }
    let known = entries[place].0
    let owner = sources[owners[place]]
    let isSame = known.value.meansTheSame(as: entry.value)
    let isReplaced: Bool
    if known.hasSameContent(as: entry) {
      isReplaced = entry.origin.isStronger(than: known.origin)
    } else if known.expiry == entry.expiry, isSame {
      // A type that is stored is better than one that is inferred.
      isReplaced = sources[index].storesTypes && !owner.storesTypes
    } else {
      let loss = rule.loss(
        owner.label(owners[place]), sources[index].label(index), ofExpiry: isSame)
      conflicts.append(
        ConversionNote(entry.key, loss, at: entry.origin.place, in: entry.origin.store))
      isReplaced = rule != .first
    }
    guard isReplaced else { return }
    entries[place] = (entry, losses)
    owners[place] = index
  }
}

extension ConflictRule {
  /// Returns the loss for a conflict between the stores called `older` and `newer`.
  fileprivate func loss(_ older: String, _ newer: String, ofExpiry: Bool) -> Loss {
    let (kept, dropped) = self == .first ? (older, newer) : (newer, older)
    return .conflict(kept: kept, dropped: dropped, ofExpiry: ofExpiry)
  }
}

extension EntryOrigin {
  /// Returns whether this is better evidence for a value that both sources have.
  fileprivate func isStronger(than other: EntryOrigin) -> Bool {
    evidence > other.evidence || evidence == other.evidence && cautions.count < other.cautions.count
  }
}

extension TypedSource {
  /// Returns the name for messages of this store, the one at `index` of the merged stores.
  fileprivate func label(_ index: Int) -> String {
    "store \(index + 1) (\(files.first?.path.text ?? name.text))"
  }
}
