/// A damaged store with its answer key.
public struct DamagedStore: Hashable, Sendable {
  /// The files.
  public let image: DiskImage
  /// The damage done to the files.
  let damage: Damage
  /// The answer key.
  public let answer: AnswerKey

  /// Creates a store with these files, which `damage` has changed.
  init(_ image: DiskImage, _ damage: Damage, _ answer: AnswerKey) {
    self.image = image
    self.damage = damage
    self.answer = answer
  }

  /// Creates the store whose files `damage` has turned into `image`.
  ///
  /// The answer key says which operator did that, with which seed.
  package init(
    _ target: DamageTarget, _ damage: Damage, _ image: DiskImage, by name: String, seed: UInt64
  ) {
    self.image = image
    self.damage = damage
    answer = AnswerKey(
      target, damage, by: name, seed: seed, store: CorpusLayout.store(target.image),
      damaged: image)
  }
}
