import KVModel

/// Counts of what became of the entries in crash states.
package struct CrashTally: Hashable, Sendable {
  /// The number of states examined.
  package var states = 0
  /// The number of entries found with an acceptable value.
  package var kept = 0
  /// The number of entries with an acceptable value that `repair` sets aside as guesses.
  package var setAside = 0
  /// The number of entries that must be there and were not found, although their bytes are in the
  /// files.
  package var missed = 0
  /// The number of entries that must be there, but of which no copy is left in the files.
  package var destroyed = 0
  /// The number of stale or removed entries found whose newest value is not in the files.
  package var stale = 0
  /// The number of stale entries found although the newest value is in the files.
  package var staleThoughThere = 0
  /// The number of stale entries presented as sound: verified or corrected, without a caution.
  package var staleAsSound = 0
  /// The number of entries found that were never stored.
  package var invented = 0
  /// The counts for the app's own engine, if it is told to discard and if it is told to recover.
  package var engine: [EngineTally] = [EngineTally(), EngineTally()]

  /// Counts of what became of the entries in the engine's map.
  package struct EngineTally: Hashable, Sendable {
    /// The number of entries with an acceptable value.
    package var kept = 0
    /// The number of entries that must be there and are not.
    package var lost = 0
    /// The number of stale or removed entries.
    package var stale = 0
    /// The number of entries that were never stored.
    package var invented = 0

    /// Creates an empty tally.
    init() {}

    /// Counts the entries that the engine would have, `found`.
    init(_ found: [Key: [UInt8]], _ truth: CrashTruth) {
      for (key, acceptable) in truth.acceptable where !acceptable.contains(found[key]) {
        if found[key] == nil { lost += 1 }
      }
      for (key, value) in found {
        if truth.acceptable[key]?.contains(value) ?? false {
          kept += 1
        } else if truth.written[key]?.contains(value) ?? false {
          stale += 1
        } else {
          invented += 1
        }
      }
    }
  }

  /// Creates an empty tally.
  init() {}

  /// Adds the counts of `other`.
  static func += (tally: inout CrashTally, other: CrashTally) {
    tally.states += other.states
    tally.kept += other.kept
    tally.setAside += other.setAside
    tally.missed += other.missed
    tally.destroyed += other.destroyed
    tally.stale += other.stale
    tally.staleThoughThere += other.staleThoughThere
    tally.staleAsSound += other.staleAsSound
    tally.invented += other.invented
    // A library answers in one way only.
    tally.engine.removeLast(max(0, tally.engine.count - other.engine.count))
    for index in tally.engine.indices {
      tally.engine[index].kept += other.engine[index].kept
      tally.engine[index].lost += other.engine[index].lost
      tally.engine[index].stale += other.engine[index].stale
      tally.engine[index].invented += other.engine[index].invented
    }
  }
}
