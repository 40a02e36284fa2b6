/// A way to damage a store, with a stable name.
///
/// ```swift
/// let damaged = DamageOperator.named("zero-page")?.apply(to: target, seed: 7)
/// ```
public struct DamageOperator: Sendable {
  /// The name of the operator.
  public let name: String
  /// A description of the damage, in one line.
  public let summary: String
  /// The parts of a store that the operator needs, among those that not every format has.
  let parts: Set<FixtureFormat.Part>
  /// Whether the seed determines the place of the damage.
  ///
  /// If not, there is only one place.
  package let hasPlacements: Bool
  /// The reason why the operator does not apply to a store that has nothing for it to act on.
  package let requirement: String
  private let damage: @Sendable (DamageTarget, inout SeededGenerator) -> Damage?

  init(
    _ name: String, _ summary: String, on parts: Set<FixtureFormat.Part> = [],
    hasPlacements: Bool = true, needs requirement: String,
    _ damage: @escaping @Sendable (DamageTarget, inout SeededGenerator) -> Damage?
  ) {
    self.name = name
    self.summary = summary
    self.parts = parts
    self.hasPlacements = hasPlacements
    self.requirement = requirement
    self.damage = damage
  }

  /// The operators used for corpora, in the order in which they are listed.
  public static let all: [DamageOperator] =
    bits + fieldBits + noise + blocks + lengths + transfers + sideFiles + sizes

  /// Operators that are not used for corpora, because their damage resembles other damage or leaves
  /// little evidence.
  public static let further: [DamageOperator] = manyBits + manyBlocks + manyFields

  /// An operator that changes nothing, to measure how a healthy store is read.
  package static let none = DamageOperator(
    "none", "no damage: the healthy store", hasPlacements: false, needs: "", { _, _ in Damage([]) })

  /// Returns whether stores of `format` have the parts that the operator needs.
  package func isFor(_ format: FixtureFormat) -> Bool { parts.isSubset(of: format.parts) }

  /// Returns the operator called `name` from ``all`` and ``further``, or `nil` if there is none.
  public static func named(_ name: String) -> DamageOperator? {
    (all + further).first { $0.name == name }
  }

  /// Returns the damage that the operator does to `target`, or `nil` if there is nothing to act on.
  package func damage(
    to target: DamageTarget, using generator: inout SeededGenerator
  ) -> Damage? {
    guard isFor(target.format) else { return nil }
    return damage(target, &generator)
  }

  /// Returns the damaged store, or `nil` if the operator does not apply to `target`.
  ///
  /// The same target and the same seed give the same bytes.
  public func apply(to target: DamageTarget, seed: UInt64) -> DamagedStore? {
    var generator = SeededGenerator(seed: seed)
    guard let damage = damage(to: target, using: &generator) else { return nil }
    let image = damage.applied(to: target.image)
    guard image != target.image || name == Self.none.name else { return nil }
    return DamagedStore(target, damage, image, by: name, seed: seed)
  }
}
