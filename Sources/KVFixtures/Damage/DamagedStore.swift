/// A damaged store with its answer key.
public struct DamagedStore: Hashable, Sendable {
  /// The files.
  public let image: DiskImage
  /// What was done to them.
  package let damage: Damage
  /// What was there, what is lost, what must be recoverable.
  public let answer: AnswerKey
}
