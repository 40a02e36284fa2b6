/// What an engine draws by chance, which a seed decides here.
package struct EngineRandomness: Sendable {
  private var generator: SeededGenerator
  /// The prefix to use each time, for comparing with files whose prefix is known.
  private let fixedPrefix: UInt32?
  /// The vector to use each time, for the same.
  private let fixedVector: [UInt8]?
  /// What is drawn first, piece by piece, for the same.
  private var known: ArraySlice<[UInt8]> = []

  /// What the seed decides.
  package init(seed: UInt64) { self.init(seed: seed, fixedPrefix: nil, fixedVector: nil) }

  /// What the seed decides, but for what is given.
  package init(seed: UInt64 = 0, fixedPrefix: UInt32?, fixedVector: [UInt8]?) {
    generator = SeededGenerator(seed: seed)
    self.fixedPrefix = fixedPrefix
    self.fixedVector = fixedVector
  }

  /// What is known, one piece each time that bytes are drawn, and then what the seed decides.
  package init(seed: UInt64 = 0, known: [[UInt8]]) {
    self.init(seed: seed)
    self.known = known[...]
  }

  /// A number from the range.
  package mutating func number(in range: ClosedRange<UInt32>) -> UInt32 {
    fixedPrefix ?? UInt32.random(in: range, using: &generator)
  }

  /// Random bytes.
  package mutating func bytes(_ count: Int) -> [UInt8] {
    known.popFirst() ?? fixedVector ?? generator.bytes(count)
  }

  /// The upper half of an address, as it is left on the stack: two bytes of it are zero.
  package mutating func upperHalf() -> [UInt8] {
    known.popFirst() ?? generator.bytes(2) + [0, 0]
  }
}
