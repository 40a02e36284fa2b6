/// The difference between a computed and a stored CRC-32, which locates short damage.
///
/// A CRC is linear: the computed checksum XOR the stored one, the *syndrome*, depends only on the
/// damage and not on the bytes. Running the CRC backward from the end of the covered bytes gives,
/// for each offset, the one 32-bit pattern that explains the mismatch if the bytes from there on
/// were XORed with it. A short pattern means that little damage is enough. Chance alone gives one
/// of 2ᵏ patterns at one of n offsets with a probability of n · 2ᵏ⁻³²; if that is too likely, the
/// correction is unverified.
///
/// Reference: Koopman, "32-Bit Cyclic Redundancy Codes for Internet Applications" (2002), for the
/// lengths up to which it tells errors apart.
package struct CRC32Syndrome: Hashable, Sendable {
  /// Damage that explains a syndrome: consecutive bytes, and the mask they were XORed with.
  package struct Burst: Hashable, Sendable {
    /// The offset of the first byte, from the start of the covered bytes.
    package let offset: Int
    /// The mask the bytes were XORed with, the first byte lowest; never zero.
    package let mask: UInt32
  }

  /// Two bits whose changes together explain a syndrome.
  package struct BitPair: Hashable, Sendable {
    /// The bit with the lower position.
    package let first: Burst
    /// The bit with the higher position.
    package let second: Burst
  }

  /// The largest number of bytes among which pairs of bits are searched for.
  package static let pairLimit = 16 << 10

  /// The computed checksum XOR the stored one; never 0.
  package let value: UInt32
  /// The number of bytes that the checksum covers.
  package let count: Int

  /// Creates the syndrome of `count` bytes whose computed and stored checksums differ.
  package init(computed: UInt32, stored: UInt32, count: Int) {
    value = computed ^ stored
    self.count = count
  }

  /// Whether one changed bit of the stored checksum explains the mismatch.
  package var isOneBitOfDigest: Bool { value.nonzeroBitCount == 1 }

  /// The number of adjacent bytes of the stored checksum, 1 to 4, whose change explains the
  /// mismatch.
  package var digestByteCount: Int {
    (UInt32.bitWidth - value.leadingZeroBitCount + 7) / 8 - value.trailingZeroBitCount / 8
  }

  /// Returns the bursts of at most `width` bytes that begin in `range` and each explain the
  /// mismatch.
  ///
  /// These include single bits, as bursts whose mask has one bit set; ``bits(in:)`` finds only
  /// those, and is faster.
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

  /// Returns the bits in `range` that each explain the mismatch: at most one in up to 512 MiB.
  ///
  /// Changing a bit that n others follow changes the checksum by xⁿ times a constant, so finding
  /// the bit is a discrete logarithm. Shanks' baby-step giant-step algorithm writes n = i · w + j,
  /// where w is the square root of the number of bits, keeps all j in a table and takes one step
  /// for each i.
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

  /// Returns the syndrome of each prefix whose length is in `counts`, assuming that no byte after
  /// it changed.
  ///
  /// - Precondition: `counts` ascends, and lies within `0...count`.
  /// - Complexity: O(`count` - `counts[0]`).
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

  /// Returns the pairs of bits in `range` that together explain the mismatch; none above
  /// ``pairLimit``.
  ///
  /// Among n bits, about n² · 2⁻³³ pairs do so by chance.
  ///
  /// - Precondition: `range` lies within `0..<count`.
  /// - Complexity: O(n log n), for the bits after the start of `range`.
  package func bitPairs(in range: Range<Int>) -> [BitPair] {
    guard count - range.lowerBound <= CRC32Syndrome.pairLimit else { return [] }
    // The effect of each bit on the checksum, from the last bit to the first.
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
      let index = effects.partitioningIndex { $0.value >= wanted }
      guard index < effects.count, effects[index].value == wanted, effects[index].bit > bit else {
        continue
      }
      found.append(BitPair(first: Burst(bit: bit), second: Burst(bit: effects[index].bit)))
    }
    return found.sorted { $0.first.offset < $1.first.offset }
  }

  fileprivate static let polynomial: UInt32 = 0xedb8_8320
  /// x⁰: the coefficients are stored from the highest bit down.
  fileprivate static let one: UInt32 = 0x8000_0000

  fileprivate static func timesX(_ value: UInt32) -> UInt32 {
    value >> 1 ^ (value & 1 == 0 ? 0 : polynomial)
  }

  /// Returns the product of two remainders.
  fileprivate static func product(_ first: UInt32, _ second: UInt32) -> UInt32 {
    var (sum, power, rest) = (UInt32(0), first, second)
    while rest != 0 {
      if rest & one != 0 { sum ^= power }
      power = timesX(power)
      rest <<= 1
    }
    return sum
  }

  /// The table of the CRC run backward, indexed by the highest byte.
  private static let inverse: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte) << 24) { value, _ in
      value & 0x8000_0000 == 0 ? value << 1 : (value ^ polynomial) << 1 | 1
    }
  }
}

extension CRC32 {
  /// Returns the exclusive or of two checksums, of bytes that differ in one: by `mask`, and with
  /// `count` bytes after it.
  ///
  /// - Complexity: O(log `count`).
  package static func effect(ofByte mask: UInt8, beforeLast count: Int) -> UInt32 {
    effect((0..<8).reduce(UInt32(mask)) { value, _ in CRC32Syndrome.timesX(value) }, before: count)
  }

  /// Returns the exclusive or of two checksums, of bytes that differ in a part, if `effect` is that of
  /// the two parts alone and `count` bytes follow them.
  ///
  /// - Complexity: O(log `count`).
  package static func effect(_ effect: UInt32, before count: Int) -> UInt32 {
    var effect = effect
    // The polynomial times x to the power of 8 · count, by squaring.
    var square = (0..<8).reduce(CRC32Syndrome.one) { value, _ in CRC32Syndrome.timesX(value) }
    var rest = count
    while rest > 0 {
      if rest & 1 == 1 { effect = CRC32Syndrome.product(effect, square) }
      square = CRC32Syndrome.product(square, square)
      rest >>= 1
    }
    return effect
  }
}

extension CRC32Syndrome.Burst {
  fileprivate init(bit: Int) {
    offset = bit / 8
    mask = 1 << UInt32(bit % 8)
  }
}
