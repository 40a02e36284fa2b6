/// What a CRC-32 that does not hold says about which bytes changed.
///
/// A CRC is linear: the computed digest XOR the stored one, the *syndrome*, depends on the damage
/// alone and not on the bytes. Run backwards from the end of the covered bytes, it gives for each
/// offset the one pattern of 32 bits which, laid over the bytes from there on, explains it. Where that
/// pattern is short, little damage is enough; how often that happens by chance is what makes a
/// correction unverified: a pattern out of 2ᵏ, at one of n offsets, with a chance of n · 2ᵏ⁻³².
///
/// Reference: Koopman, "32-Bit Cyclic Redundancy Codes for Internet Applications" (2002), for the
/// lengths up to which errors are told apart.
package struct CRC32Syndrome: Hashable, Sendable {
  /// Damage that explains a syndrome: bytes that follow one another, and what they are XORed with.
  package struct Burst: Hashable, Sendable {
    /// The offset of the first byte, from the start of the covered bytes.
    package let offset: Int
    /// What the bytes are XORed with, the first byte lowest; that is not zero.
    package let mask: UInt32
  }

  /// Two bits that explain a syndrome together.
  package struct BitPair: Hashable, Sendable {
    /// The bit that comes first.
    package let first: Burst
    /// The other one.
    package let second: Burst
  }

  /// The most bytes among which two bits are looked for.
  package static let pairLimit = 16 << 10

  /// The computed digest XOR the stored one; not 0.
  package let value: UInt32
  /// How many bytes the digest covers.
  package let count: Int

  /// The syndrome of `count` bytes whose digest is `computed`, and was stored as `stored`.
  package init(computed: UInt32, stored: UInt32, count: Int) {
    value = computed ^ stored
    self.count = count
  }

  /// Whether one changed bit of the stored digest explains all.
  package var isOneBitOfDigest: Bool { value.nonzeroBitCount == 1 }

  /// How many bytes of the stored digest, beside each other, explain all if they changed: 1 to 4.
  package var digestByteCount: Int {
    (UInt32.bitWidth - value.leadingZeroBitCount + 7) / 8 - value.trailingZeroBitCount / 8
  }

  /// The bursts of at most `width` bytes that begin in `range`, each of which explains all.
  ///
  /// One bit is a burst of a mask with one bit; ``bits(in:)`` finds these alone, and sooner.
  ///
  /// - Precondition: `range` lies within `0..<count`, and `width` is 1 to 4.
  /// - Complexity: O(`count - range.lowerBound`).
  package func bursts(in range: Range<Int>, width: Int) -> [Burst] {
    let table = CRC32Syndrome.inverse.storageSpan
    let limit = UInt64(1) << (8 * UInt64(width))
    var found: [Burst] = []
    var state = value
    var offset = count
    while offset > range.lowerBound {
      offset -= 1
      state = state << 8 ^ table[Int(state >> 24)]
      if UInt64(state) < limit, state & 0xff != 0, offset < range.upperBound,
        offset + (4 - state.leadingZeroBitCount / 8) <= count
      {
        found.append(Burst(offset: offset, mask: state))
      }
    }
    return found.reversed()
  }

  /// The bits in `range` each of which explains all: at most one up to 512 MiB.
  ///
  /// A bit that is followed by n others adds xⁿ to the digest, times a constant: n is a discrete
  /// logarithm. Of n = i · w + j, with w the root of how many there are, all j are in a table, and each
  /// i is a step (Shanks).
  ///
  /// - Precondition: `range` lies within `0..<count`.
  /// - Complexity: O(√(`count - range.lowerBound`)).
  package func bits(in range: Range<Int>) -> [Burst] {
    let total = (count - range.lowerBound) * 8
    let width = Int(Double(total).squareRoot()) + 1
    var steps: [UInt32: Int] = Dictionary(minimumCapacity: width)
    var effect = CRC32Syndrome.polynomial
    var back = CRC32Syndrome.one
    for step in 0..<width {
      steps[effect] = step
      effect = CRC32Syndrome.timesX(effect)
      back = back << 1 ^ (back & 0x8000_0000 == 0 ? 0 : CRC32Syndrome.polynomial << 1 | 1)
    }
    var found: [Burst] = []
    var state = value
    for start in stride(from: 0, to: total, by: width) {
      if let step = steps[state], start + step < total {
        let bit = count * 8 - 1 - start - step
        if range.contains(bit / 8) { found.append(Burst(bit: bit)) }
      }
      state = CRC32Syndrome.product(state, back)
    }
    return found.reversed()
  }

  /// The syndromes that the first bytes have by themselves, as many as each of `counts` says, if none of
  /// those after them has changed.
  ///
  /// - Precondition: `counts` ascends, and lies within `0...count`.
  /// - Complexity: O(`count` - the least of `counts`).
  package func syndromes(ofFirst counts: [Int]) -> [UInt32] {
    let table = CRC32Syndrome.inverse.storageSpan
    var found: [UInt32] = []
    var state = value
    var offset = count
    for wanted in counts.reversed() {
      while offset > wanted {
        offset -= 1
        state = state << 8 ^ table[Int(state >> 24)]
      }
      found.append(state)
    }
    return found.reversed()
  }

  /// The pairs of bits in `range` that explain all together; nothing beyond ``pairLimit``.
  ///
  /// Among n bits about n² · 2⁻³³ pairs do so by chance.
  ///
  /// - Precondition: `range` lies within `0..<count`.
  /// - Complexity: O(n log n), for the bits after the start of `range`.
  package func bitPairs(in range: Range<Int>) -> [BitPair] {
    guard count - range.lowerBound <= CRC32Syndrome.pairLimit else { return [] }
    // What each bit adds to the digest, from the last bit on.
    var effects: [(value: UInt32, bit: Int)] = []
    var effect: UInt32 = CRC32Syndrome.polynomial
    for bit in stride(from: count * 8 - 1, through: range.lowerBound * 8, by: -1) {
      if bit / 8 < range.upperBound { effects.append((effect, bit)) }
      effect = CRC32Syndrome.timesX(effect)
    }
    effects.sort { $0.value < $1.value }
    var found: [BitPair] = []
    for (own, bit) in effects {
      let wanted = own ^ value
      var low = 0
      var high = effects.count
      while low < high {
        let middle = (low + high) / 2
        if effects[middle].value < wanted { low = middle + 1 } else { high = middle }
      }
      guard low < effects.count, effects[low].value == wanted, effects[low].bit > bit else {
        continue
      }
      found.append(BitPair(first: Burst(bit: bit), second: Burst(bit: effects[low].bit)))
    }
    return found.sorted { $0.first.offset < $1.first.offset }
  }

  private static let polynomial: UInt32 = 0xedb8_8320
  /// x⁰: the coefficients are stored from the highest bit down.
  private static let one: UInt32 = 0x8000_0000

  private static func timesX(_ value: UInt32) -> UInt32 {
    value >> 1 ^ (value & 1 == 0 ? 0 : polynomial)
  }

  /// The product of two remainders.
  private static func product(_ first: UInt32, _ second: UInt32) -> UInt32 {
    var (sum, power, rest) = (UInt32(0), first, second)
    while rest != 0 {
      if rest & one != 0 { sum ^= power }
      power = timesX(power)
      rest <<= 1
    }
    return sum
  }

  /// The table of the CRC run backwards, by the highest byte.
  private static let inverse: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte) << 24) { value, _ in
      value & 0x8000_0000 == 0 ? value << 1 : (value ^ polynomial) << 1 | 1
    }
  }
}

extension CRC32Syndrome.Burst {
  fileprivate init(bit: Int) {
    offset = bit / 8
    mask = 1 << UInt32(bit % 8)
  }
}
