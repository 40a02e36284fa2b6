import KVSystem

/// What the app's library does with the files of a format without a log at the app's next launch.
package struct LibraryLoad: Sendable {
  /// How the loading ends, what the app is told, and what is written.
  package let load: EngineLoad
  /// The entries that the app then has.
  package let entries: [TypedEntry]

  /// Creates what a library does, after which the app has `entries`.
  package init(
    _ outcome: EngineLoad.Outcome, _ entries: [TypedEntry], callbacks: [String] = [],
    writes: [String] = [], premise: String? = nil
  ) {
    var load = EngineLoad(
      callbacks: callbacks, outcome: outcome, log: nil, onDamage: .dropAll, dropsExpiredAt: nil,
      writes: writes)
    load.premise = premise
    self.load = load
    self.entries = entries
  }

  /// Returns the same load, with each entry replaced.
  package func map(_ replacement: (TypedEntry) -> TypedEntry) -> LibraryLoad {
    LibraryLoad(
      load.outcome, entries.map(replacement), callbacks: load.callbacks, writes: load.writes,
      premise: load.premise)
  }
}

/// What a library does with a file that it cannot parse.
package struct LibraryRefusal: Hashable, Sendable {
  /// How the loading ends: `discarded` or `crashed`.
  let outcome: EngineLoad.Outcome
  /// What the app gets to know, by the names that app developers know.
  let callbacks: [String]
  /// What is written to the files, and when, for people; it continues "on opening, it".
  let writes: [String]
  /// The condition under which the library does this, for people; `nil` if it always does.
  let premise: String?

  /// Returns the refusal of a library that starts with no values.
  package static func startsEmpty(
    writes: [String], callbacks: [String] = [], if premise: String? = nil
  ) -> LibraryRefusal {
    LibraryRefusal(outcome: .discarded, callbacks: callbacks, writes: writes, premise: premise)
  }

  /// Returns the refusal of a library that throws `error` each time.
  package static func throwing(_ error: String, if premise: String? = nil) -> LibraryRefusal {
    LibraryRefusal(outcome: .crashed, callbacks: [error], writes: [], premise: premise)
  }
}

extension EntryTable {
  /// Returns what a library does with the files, if it does `refusals` with what it cannot parse.
  func loads(_ refusals: [LibraryRefusal]) -> [LibraryLoad] {
    let isRefused: Bool
    let load: LibraryLoad
    switch versions.first.map({ ($0, $0.fate) }) {
    case (let backup, .restored)?:
      isRefused = !backup.isWhole
      load = LibraryLoad(.rolledBack, backup.entries, writes: ["replaces the file by its backup"])
    case (let main, .loaded)?:
      isRefused = !main.isWhole
      load = LibraryLoad(.loaded, main.entries)
    case (let newer, .discarded)?:
      isRefused = self.isRefused
      load = LibraryLoad(
        .rolledBack, entries, writes: ["replaces \(newer.path.name) by this backup"])
    case (_, .ignored)?, nil:
      isRefused = self.isRefused
      load = LibraryLoad(.loaded, Array(entries.prefix(indexedCount)))
    }
    guard isRefused else { return [load] }
    return refusals.map { refusal in
      LibraryLoad(
        refusal.outcome, [], callbacks: refusal.callbacks,
        writes: (load.load.outcome == .rolledBack ? load.load.writes : []) + refusal.writes,
        premise: refusal.premise)
    }
  }

  /// The newest readable value of each key: what a repair keeps.
  ///
  /// A file that is whole is the newest version as it is. The readable part of a damaged one does not
  /// tell which keys were removed, so that what it lacks is taken from the other version.
  package var newest: [TypedEntry] {
    let isWhole = verdict == .clean
    guard let version = versions.first else {
      return isWhole ? Array(entries.prefix(indexedCount)) : entries
    }
    switch version.fate {
    case .loaded, .restored: return isWhole ? entries : version.entries.overlaid(by: entries)
    case .discarded:
      return version.isWhole ? version.entries : entries.overlaid(by: version.entries)
    case .ignored:
      // A write that did not finish was never visible to the app.
      if isWhole { return entries }
      return version.isWhole ? version.entries : entries.overlaid(by: version.entries)
    }
  }
}

extension EntryTable {
  /// Whether nothing is missing from ``newest``: it is that of a whole file.
  package var isNewestWhole: Bool {
    guard let version = versions.first else { return verdict == .clean }
    return switch version.fate {
    case .loaded, .restored: verdict == .clean
    case .discarded: version.isWhole
    case .ignored: verdict == .clean || version.isWhole
    }
  }
}

extension [TypedEntry] {
  /// Returns these entries with the values that `newer` has; the others may be stale.
  ///
  /// A value that may be damaged replaces none that is not.
  fileprivate func overlaid(by newer: [TypedEntry]) -> [TypedEntry] {
    let sound = Set(filter { $0.origin.cautions.isEmpty }.map(\.key))
    let newer = newer.filter { $0.origin.cautions.isEmpty || !sound.contains($0.key) }
    let keys = Set(newer.map(\.key))
    return filter { !keys.contains($0.key) }.map { $0.cautioned(.mayBeStale) } + newer
  }
}
