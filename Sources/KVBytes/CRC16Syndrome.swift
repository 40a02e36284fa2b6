/// The difference between a computed and a stored CRC-16, which locates a single changed bit.
///
/// A CRC is linear: the computed checksum XOR the stored one, the *syndrome*, depends only on the
/// damage and not on the bytes. One changed bit, `n` bits before the end of the stored checksum,
/// has the syndrome xⁿ modulo the polynomial. These powers repeat only after 32,767 of them, so in
/// up to 4,093 bytes every bit has a syndrome of its own.
///
/// The type assumes that exactly one bit changed. Other damage may have the syndrome of some bit
/// too; ``confidence`` states how likely that is. Two changed bits, or any even number, never do:
/// the polynomial has the factor x + 1, so a syndrome keeps the parity of the damage.
///
/// Reference: Koopman and Chakravarty, "Cyclic Redundancy Code (CRC) Polynomial Selection For
/// Embedded Networks" (2004), on 0x1021 and the lengths up to which it tells errors apart.
package struct CRC16Syndrome: Hashable, Sendable {
  /// A bit of the covered bytes, or of the two checksum bytes that follow them.
  package struct Bit: Hashable, Sendable {
    /// The offset of the bit's byte, from the start of the covered bytes.
    package let offset: Int
    /// A mask with only this bit of the byte set.
    package let mask: UInt8
  }

  /// The largest number of covered bytes at which every bit has a syndrome of its own.
  package static let countLimit = 4093

  /// The computed checksum XOR the stored one; 0 if they match.
  package let value: UInt16
  /// The number of bytes that the checksum covers.
  package let count: Int

  /// Creates the syndrome of `count` bytes whose checksum is `computed`, followed by the checksum
  /// `stored`, low byte first.
  package init(computed: UInt16, stored: UInt16, count: Int) {
    value = computed ^ stored
    self.count = count
  }

  /// The bit whose change alone explains the mismatch; `nil` if there is none, or above
  /// ``countLimit``.
  ///
  /// - Complexity: O(1).
  package var bit: Bit? {
    guard count <= CRC16Syndrome.countLimit else { return nil }
    let distance = Int(CRC16Syndrome.distances[Int(value)])
    return distance < bitCount ? bit(at: distance) : nil
  }

  /// The strength of the evidence for ``bit``, in bits: random damage of other kinds has the
  /// syndrome of some bit with a probability of at most 2 to the power of minus this.
  package var confidence: Int {
    16 - (Int.bitWidth - max(bitCount - 1, 1).leadingZeroBitCount)
  }

  private var bitCount: Int { count * 8 + 16 }

  /// The distance from the end of the one bit that has a syndrome; `UInt16.max` for the syndromes
  /// that no bit has, such as those of an even number of changed bits.
  private static let distances: [UInt16] = {
    var distances = [UInt16](repeating: .max, count: 1 << 16)
    var power: UInt16 = 1
    for distance in 0..<UInt16(0x7fff) {
      distances[Int(power)] = distance
      power = power & 0x8000 == 0 ? power << 1 : power << 1 ^ 0x1021
    }
    return distances
  }()

  /// Returns the bit `distance` bits before the end; the low byte of the checksum is stored first.
  private func bit(at distance: Int) -> Bit {
    let offset = distance < 16 ? count + distance / 8 : count - 1 - (distance - 16) / 8
    return Bit(offset: offset, mask: 1 << UInt8(distance % 8))
  }
}
