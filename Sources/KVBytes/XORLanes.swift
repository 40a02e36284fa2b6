/// The checksum of FastKV on Android: eight lanes, each the exclusive or of every eighth byte.
///
/// The byte at file offset p goes into lane p mod 8; lane k is bits 8k to 8k + 7 of the value.
package struct XORLanes: Hashable, Sendable {
  /// The checksum of the bytes so far.
  package private(set) var value: UInt64 = 0

  /// Creates the checksum of no bytes.
  package init() {}

  /// Adds the bytes of `range`, whose offsets are file offsets, to the checksum.
  ///
  /// - Precondition: `range` lies within `bytes`.
  /// - Complexity: O(`range.count`), eight bytes at a time.
  package mutating func update(_ bytes: Span<UInt8>, in range: Range<Int>) {
    value ^= bytes.exclusiveOrOfLanes(in: range)
  }

  /// The most bytes at the end of a record that may leave the checksum as it is: those of the number 0.
  private static var idleLimit: Int { 8 }

  /// Returns whether the checksum, which is one of bytes before `range`, is `digest` after the bytes of
  /// `range`, and was not already more than eight bytes before the end.
  ///
  /// Zeros do not change the checksum, nor does whatever else cancels out, so such bytes do not show
  /// that they belong to what it covers.
  ///
  /// - Precondition: `range` lies within `bytes`.
  /// - Complexity: O(`range.count`).
  package func reaches(_ digest: UInt64, by range: Range<Int>, of bytes: Span<UInt8>) -> Bool {
    var lanes = self
    lanes.update(bytes, in: range)
    guard lanes.value == digest else { return false }
    lanes = self
    for offset in range.dropLast(Self.idleLimit + 1) {
      lanes.update(bytes, in: offset..<offset + 1)
      if lanes.value == digest { return false }
    }
    return true
  }
}
