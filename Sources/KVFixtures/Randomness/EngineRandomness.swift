/// The random choices of an engine, determined by a seed.
package struct EngineRandomness: Sendable {
  private var generator: SeededGenerator
  /// The prefix to use every time, for comparison with files whose prefix is known.
  private let fixedPrefix: UInt32?
  /// The initialization vector to use every time, for the same purpose.
  private let fixedVector: [UInt8]?
  /// The first results of ``bytes(_:)`` and ``upperHalf()``, in order, for the same purpose.
  private var known: ArraySlice<[UInt8]> = []

  /// Creates the random choices that `seed` determines.
  package init(seed: UInt64) { self.init(seed: seed, fixedPrefix: nil, fixedVector: nil) }

  /// Creates the random choices that `seed` determines, except for the given prefix and vector.
  package init(seed: UInt64 = 0, fixedPrefix: UInt32?, fixedVector: [UInt8]?) {
    generator = SeededGenerator(seed: seed)
    self.fixedPrefix = fixedPrefix
    self.fixedVector = fixedVector
  }

  /// Creates random choices that start with the elements of `known`, one for each draw of bytes.
  ///
  /// `seed` determines the rest.
  package init(seed: UInt64 = 0, known: [[UInt8]]) {
    self.init(seed: seed)
    self.known = known[...]
  }

  /// Returns a number from the range.
  mutating func number(in range: ClosedRange<UInt32>) -> UInt32 {
    fixedPrefix ?? UInt32.random(in: range, using: &generator)
  }

  /// Returns `count` random bytes.
  mutating func bytes(_ count: Int) -> [UInt8] {
    known.popFirst() ?? fixedVector ?? generator.bytes(count)
  }

  /// Returns the upper half of an address, as left on the stack.
  ///
  /// Two of its bytes are zero.
  mutating func upperHalf() -> [UInt8] {
    known.popFirst() ?? generator.bytes(2) + [0, 0]
  }
}
