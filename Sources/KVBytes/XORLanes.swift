/// The checksum of Android FastKV: eight lanes, each the exclusive or of every eighth byte.
///
/// The byte at offset p of the file goes into lane p mod 8; lane k is bits 8k to 8k + 7 of the value.
package struct XORLanes: Hashable, Sendable {
  /// The checksum of the bytes so far.
  package private(set) var value: UInt64 = 0

  /// The checksum of no bytes.
  package init() {}

  /// Takes in the bytes of `range`, whose offsets are those in the file.
  ///
  /// - Precondition: `range` lies within `bytes`.
  /// - Complexity: O(`range.count`), eight bytes at a time.
  package mutating func update(_ bytes: Span<UInt8>, in range: Range<Int>) {
    value ^= bytes.exclusiveOrOfLanes(in: range)
  }
}
