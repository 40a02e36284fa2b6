/// A damaged store with its answer key.
public struct DamagedStore: Hashable, Sendable {
  /// The files.
  public let image: DiskImage
  /// The damage done to the files.
  package let damage: Damage
  /// The answer key.
  public let answer: AnswerKey
}
