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
}
