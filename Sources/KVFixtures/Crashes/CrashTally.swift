/// What became of entries in crash states, counted.
package struct CrashTally: Hashable, Sendable {
  /// How many states were looked at.
  package var states = 0
  /// Entries that may be there and are, with a value that they may have.
  package var kept = 0
  /// Entries that `repair` sets aside as guesses, with a value that they may have.
  package var setAside = 0
  /// Entries that must be there and are not, though their bytes are in the files.
  package var missed = 0
  /// Entries that must be there, and of which no copy is left in the files.
  package var destroyed = 0
  /// Entries with an older value, or that were removed, where the newest value is not in the files.
  package var stale = 0
  /// Entries with an older value although the newest is in the files.
  package var staleThoughThere = 0
  /// Those of the stale ones that are shown as sound: by a checksum, and without a caution.
  package var staleAsSound = 0
  /// Entries that were never stored.
  package var invented = 0
  /// The same entries by the app's own engine, which is told to discard or to recover.
  package var engine: [EngineTally] = [EngineTally(), EngineTally()]

  /// What became of the entries in the engine's map.
  package struct EngineTally: Hashable, Sendable {
    /// Entries with a value that they may have.
    package var kept = 0
    /// Entries that must be there and are not.
    package var lost = 0
    /// Entries with an older value, or that were removed.
    package var stale = 0
    /// Entries that were never stored.
    package var invented = 0
  }

  /// A tally of nothing.
  package init() {}

  /// Adds what `other` counted.
  package static func += (tally: inout CrashTally, other: CrashTally) {
    tally.states += other.states
    tally.kept += other.kept
    tally.setAside += other.setAside
    tally.missed += other.missed
    tally.destroyed += other.destroyed
    tally.stale += other.stale
    tally.staleThoughThere += other.staleThoughThere
    tally.staleAsSound += other.staleAsSound
    tally.invented += other.invented
    for index in tally.engine.indices {
      tally.engine[index].kept += other.engine[index].kept
      tally.engine[index].lost += other.engine[index].lost
      tally.engine[index].stale += other.engine[index].stale
      tally.engine[index].invented += other.engine[index].invented
    }
  }
}
