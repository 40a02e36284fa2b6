/// What a CRC-16 that does not hold says about which bit changed.
///
/// A CRC is linear: the computed digest XOR the stored one, the *syndrome*, depends on the damage alone
/// and not on the bytes. One changed bit, `n` bits before the end of the stored digest, gives
/// xⁿ modulo the polynomial, and those powers only come again after 32767 of them. So up to 4093 bytes
/// each bit has a syndrome of its own.
///
/// What it assumes: that one bit changed and no other. Other damage leads to a bit as well, with a
/// chance that ``confidence`` states; but never two bits, nor any even number: the polynomial has the
/// factor x + 1, and a syndrome keeps the parity of the damage.
///
/// Reference: Koopman and Chakravarty, "Cyclic Redundancy Code (CRC) Polynomial Selection For Embedded
/// Networks" (2004), on 0x1021 and the lengths up to which it tells errors apart.
package struct CRC16Syndrome: Hashable, Sendable {
  /// A bit of the covered bytes, or of the two bytes of the digest that follow them.
  package struct Bit: Hashable, Sendable {
    /// The offset of its byte, from the start of the covered bytes.
    package let offset: Int
    /// The bit in that byte.
    package let mask: UInt8
  }

  /// The most covered bytes for which every bit has a syndrome of its own.
  package static let countLimit = 4093

  /// The computed digest XOR the stored one; 0 where the digest holds.
  package let value: UInt16
  /// How many bytes the digest covers.
  package let count: Int

  /// The syndrome of `count` bytes whose digest is `computed`, with `stored` after them, low byte
  /// first.
  package init(computed: UInt16, stored: UInt16, count: Int) {
    value = computed ^ stored
    self.count = count
  }

  /// The bit that explains all, if one does; `nil` beyond ``countLimit``.
  ///
  /// - Complexity: O(1).
  package var bit: Bit? {
    guard count <= CRC16Syndrome.countLimit else { return nil }
    let distance = Int(CRC16Syndrome.distances[Int(value)])
    return distance < bitCount ? bit(at: distance) : nil
  }

  /// How many bits of the digest remain to verify ``bit``: other damage leads to one with a
  /// chance of one in 2 to this, at most.
  package var confidence: Int {
    16 - (Int.bitWidth - max(bitCount - 1, 1).leadingZeroBitCount)
  }

  private var bitCount: Int { count * 8 + 16 }

  /// How far before the end the one bit is that has a syndrome; the largest number where no bit has
  /// it, as none has that leaves an even number of bits.
  private static let distances: [UInt16] = {
    var distances = [UInt16](repeating: .max, count: 1 << 16)
    var power: UInt16 = 1
    for distance in 0..<UInt16(0x7fff) {
      distances[Int(power)] = distance
      power = power & 0x8000 == 0 ? power << 1 : power << 1 ^ 0x1021
    }
    return distances
  }()

  /// The bit `distance` bits before the end; the digest's bytes are stored the low one first.
  private func bit(at distance: Int) -> Bit {
    let offset = distance < 16 ? count + distance / 8 : count - 1 - (distance - 16) / 8
    return Bit(offset: offset, mask: 1 << UInt8(distance % 8))
  }
}
