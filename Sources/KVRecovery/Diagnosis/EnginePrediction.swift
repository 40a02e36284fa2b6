package import KVModel

/// A prediction of the entries that the app's engine will have after its next launch, and of the
/// losses.
package struct EnginePrediction: Sendable {
  /// The answer that the app is assumed to give.
  package let answer: RecoveryDecision
  /// What the engine does when it opens the store.
  package let load: EngineLoad
  /// The map that the engine ends up with; empty for a format without a log.
  package let snapshot: Snapshot
  /// The keys of entries that the files hold, but that the engine's map lacks or has with another
  /// value; sorted.
  package let lostKeys: [Key]

  /// The number of values in the engine's map that the files do not support.
  ///
  /// These values come from bytes that decode by accident, from older records, or from records
  /// after the log.
  package var unsupportedCount: Int { keyCount - (held.total - lostKeys.count) }

  /// The number of entries that the files hold, in their best state.
  package let held: EntryCount
  /// The number of those that are lost: ``lostKeys`` are their keys.
  package let lost: EntryCount
  /// The number of those that are lost but that a repair keeps, or as guesses sets aside.
  let recoverable: EntryCount
  /// The number of keys in the engine's map whose entry has expired, so that the engine's getters
  /// return the default value.
  package let expiredCount: Int
  /// Whether a checksum verifies the best state, so that anything that differs from it is wrong.
  package let isHeldVerified: Bool

  /// The number of keys in the engine's map.
  package let keyCount: Int

  /// Whether entries are lost without a call to the app's handler.
  package var isSilentLoss: Bool { load.callbacks.isEmpty && !lostKeys.isEmpty }

  init(
    answer: RecoveryDecision, load: EngineLoad, snapshot: Snapshot, keyCount: Int? = nil,
    lostKeys: [Key], held: EntryCount, lost: EntryCount, recoverable: EntryCount,
    expiredCount: Int, isHeldVerified: Bool
  ) {
    self.keyCount = keyCount ?? snapshot.live.count
    self.answer = answer
    self.load = load
    self.snapshot = snapshot
    self.lostKeys = lostKeys
    self.held = held
    self.lost = lost
    self.recoverable = recoverable
    self.expiredCount = expiredCount
    self.isHeldVerified = isHeldVerified
  }

  /// Returns the same prediction, with each of ``lostKeys`` replaced.
  package func replacingLostKeys(_ replacement: (Key) -> Key) -> EnginePrediction {
    EnginePrediction(
      answer: answer, load: load, snapshot: snapshot, keyCount: keyCount,
      lostKeys: lostKeys.map(replacement), held: held, lost: lost, recoverable: recoverable,
      expiredCount: expiredCount, isHeldVerified: isHeldVerified)
  }

  /// Returns the predictions for the files of `table`, whose format has no log: one for each premise.
  ///
  /// The library asks nothing, so all of them count as the answer by default.
  package static func all(for table: EntryTable) -> [EnginePrediction] {
    let newest = table.newest
    return table.loads.map { load in
      let lost = newest.entries(notIn: load.entries)
      return EnginePrediction(
        answer: .discard, load: load.load, snapshot: .empty, keyCount: load.entries.count,
        lostKeys: lost.map(\.key).sorted(), held: EntryCount(entries: newest.count),
        lost: EntryCount(entries: lost.count), recoverable: EntryCount(entries: lost.count),
        expiredCount: 0, isHeldVerified: false)
    }
  }
}
