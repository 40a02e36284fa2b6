/// What an engine draws by chance, which a seed decides here.
public struct EngineRandomness: Sendable {
  private var generator: SeededGenerator
  /// The prefix to use each time, for comparing with files whose prefix is known.
  private let fixedPrefix: UInt32?
  /// The vector to use each time, for the same.
  private let fixedVector: [UInt8]?

  /// What the seed decides.
  public init(seed: UInt64) { self.init(seed: seed, fixedPrefix: nil, fixedVector: nil) }

  /// What the seed decides, but for what is given.
  package init(seed: UInt64 = 0, fixedPrefix: UInt32?, fixedVector: [UInt8]?) {
    generator = SeededGenerator(seed: seed)
    self.fixedPrefix = fixedPrefix
    self.fixedVector = fixedVector
  }

  /// A number from the range.
  package mutating func number(in range: ClosedRange<UInt32>) -> UInt32 {
    fixedPrefix ?? UInt32.random(in: range, using: &generator)
  }

  /// Random bytes.
  package mutating func bytes(_ count: Int) -> [UInt8] { fixedVector ?? generator.bytes(count) }
}
