/// A way to damage a store, under a name that does not change.
///
/// ```swift
/// let damaged = DamageOperator.named("zero-page")?.apply(to: target, seed: 7)
/// ```
public struct DamageOperator: Sendable {
  /// Its name.
  public let name: String
  /// What it does, in one line.
  public let summary: String
  /// The formats whose stores have what it acts on.
  public let formats: Set<StoreSettings.Format>
  /// Whether the seed decides where, so that one store can be damaged in several ways.
  public let hasPlacements: Bool
  /// What is missing where it has nothing to act on.
  public let requirement: String
  private let damage: @Sendable (DamageTarget, inout SeededGenerator) -> Damage?

  init(
    _ name: String, _ summary: String, formats: [StoreSettings.Format] = Format.allCases,
    hasPlacements: Bool = true, needs requirement: String,
    _ damage: @escaping @Sendable (DamageTarget, inout SeededGenerator) -> Damage?
  ) {
    self.name = name
    self.summary = summary
    self.formats = Set(formats)
    self.hasPlacements = hasPlacements
    self.requirement = requirement
    self.damage = damage
  }

  typealias Format = StoreSettings.Format

  /// All operators, in the order in which they are listed.
  public static let all: [DamageOperator] =
    bits + fieldBits + noise + blocks + lengths + transfers + sideFiles + sizes

  /// What does nothing: how a healthy store is read is measured as well.
  public static let none = DamageOperator(
    "none", "nothing: the healthy store", hasPlacements: false, needs: "", { _, _ in Damage([]) })

  /// The operator called `name`.
  public static func named(_ name: String) -> DamageOperator? { all.first { $0.name == name } }

  /// The damaged store; nothing where there is nothing to act on.
  ///
  /// The same target and the same seed give the same bytes.
  public func apply(to target: DamageTarget, seed: UInt64) -> DamagedStore? {
    var generator = SeededGenerator(seed: seed)
    guard formats.contains(target.format), let damage = damage(target, &generator) else {
      return nil
    }
    let image = damage.applied(to: target.image)
    guard image != target.image || name == Self.none.name else { return nil }
    return DamagedStore(
      image: image, damage: damage,
      answer: AnswerKey(
        target, damage, by: name, seed: seed, store: CorpusLayout.store(target.image),
        damaged: image))
  }
}
