package import KVModel

/// A prediction of what the app's own engine will show after its next launch, and what that costs.
package struct EnginePrediction: Sendable {
  /// The app's answer.
  package let answer: RecoveryDecision
  /// What the engine does.
  package let load: EngineLoad
  /// The map that it ends up with.
  package let snapshot: Snapshot
  /// The keys that the files hold, but the engine's map does not, or not with the same value;
  /// sorted.
  package let lostKeys: [Key]

  /// The number of values in the engine's map that the files do not support.
  ///
  /// These are bytes that decode by accident, older values, or entries from after the log.
  package var unsupportedCount: Int { keyCount - (heldCount - lostKeys.count) }

  /// The number of entries that the files hold, in the state that they support best.
  package let heldCount: Int
  /// Whether a checksum verifies that state, so that anything that differs from it is wrong.
  package let isHeldVerified: Bool

  /// The number of keys in the engine's map.
  package var keyCount: Int { snapshot.live.count }

  /// Whether entries are lost without a call of the app's handler.
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
