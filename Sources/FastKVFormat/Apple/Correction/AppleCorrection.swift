import KVModel

/// A bit of a record that is read as the other one than is stored.
package struct AppleCorrection: Hashable, Sendable {
  /// The record, its separator included.
  let record: Range<Int>
  /// The offset of the bit's byte.
  let offset: Int
  /// The bit in that byte.
  let mask: UInt8
  /// How unlikely it is that other damage looks like this bit.
  let odds: CoincidenceOdds
  /// Whether the record did not decode before, to these bounds and to text where text belongs.
  let mendsRecord: Bool

  /// The number of the bit in its byte, the lowest being 0.
  var bit: Int { mask.trailingZeroBitCount }
}
