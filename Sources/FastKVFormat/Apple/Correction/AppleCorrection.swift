/// A bit of a record that is read as the other one than is stored.
struct AppleCorrection: Hashable, Sendable {
  /// The record, its separator included.
  let record: Range<Int>
  /// The offset of the bit's byte.
  let offset: Int
  /// The bit in that byte.
  let mask: UInt8
  /// How many bits of the CRC are left over to vouch for it.
  let confidence: Int
  /// Whether the record did not decode before, to these bounds and to text where text belongs.
  let mendsRecord: Bool

  /// The number of the bit in its byte, the lowest being 0.
  var bit: Int { mask.trailingZeroBitCount }
}
