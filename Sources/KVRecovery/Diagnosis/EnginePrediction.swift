package import KVModel

/// What the app's own engine will show after its next launch, and what that costs.
package struct EnginePrediction: Sendable {
  /// What the app answers.
  package let answer: RecoveryDecision
  /// What the engine does.
  package let load: EngineLoad
  /// The map that it ends up with.
  package let snapshot: Snapshot
  /// The keys that the files hold and the engine's map does not, or not with the same value; sorted.
  package let lostKeys: [Key]

  /// How many values the engine's map has that the files do not support: bytes that decode by
  /// accident, older values, or entries from after the log.
  package var unsupportedCount: Int { keyCount - (heldCount - lostKeys.count) }

  /// How many entries the files hold, by the state that they support best.
  package let heldCount: Int
  /// Whether a checksum verifies that state, so that what differs from it is wrong.
  package let isHeldVerified: Bool

  /// How many keys the engine's map has.
  package var keyCount: Int { snapshot.live.count }

  /// Whether entries are lost and no handler of the app is called.
  package var isSilentLoss: Bool { load.callbacks.isEmpty && !lostKeys.isEmpty }

  init(
    answer: RecoveryDecision, load: EngineLoad, snapshot: Snapshot, lostKeys: [Key],
    heldCount: Int, isHeldVerified: Bool
  ) {
    self.answer = answer
    self.load = load
    self.snapshot = snapshot
    self.lostKeys = lostKeys
    self.heldCount = heldCount
    self.isHeldVerified = isHeldVerified
  }
}
