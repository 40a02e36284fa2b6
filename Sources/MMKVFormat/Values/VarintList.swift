import KVBytes
import KVModel

/// The structure of a list of integers, of any integer type.
struct VarintList {
  /// The number of elements.
  let count: Int
  /// Whether an element is negative as a signed number.
  let hasNegative: Bool
  /// Whether an element is not zero.
  let hasNonzero: Bool
  /// Whether every element fits in 32 bits as a signed number.
  let fitsInt32: Bool
  /// The number of bits saved by encoding the list as numbers of similar size rather than as bytes.
  ///
  /// An element takes its binary digits, and the difference between their number and that of the
  /// element before. Numbers that belong together are alike; the bytes of other data save nothing.
  let savedBits: Int
  /// The evidence, in bits, that no element has more than two bytes and some have two: a third of a
  /// bit per byte.
  let shapeBits: Int

  /// Parses the elements, which must fill `content` exactly; `nil` if they do not.
  init?(_ content: Span<UInt8>) {
    var count = 0
    var hasNegative = false
    var hasNonzero = false
    var fitsInt32 = true
    var offset = 0
    var toldBits = 0
    var width = 0
    var longest = 0
    while let (varint, end) = content.minimalVarint(at: offset) {
      let number = Int64(bitPattern: varint)
      count += 1
      let digits = UInt64.bitWidth - varint.leadingZeroBitCount
      toldBits += digits + 1 + 2 * abs(digits - width)
      width = digits
      longest = max(longest, end - offset)
      hasNegative = hasNegative || number < 0
      hasNonzero = hasNonzero || number != 0
      fitsInt32 = fitsInt32 && Int32(exactly: number) != nil
      offset = end
    }
    guard offset == content.count else { return nil }
    self.count = count
    self.hasNegative = hasNegative
    self.hasNonzero = hasNonzero
    self.fitsInt32 = fitsInt32
    savedBits = hasNonzero ? 8 * content.count - toldBits : 0
    shapeBits = longest == 2 ? 1 + content.count / 3 : 0
  }

  /// Returns the elements within the first `limit` bytes as a list of type `kind`; `nil` if that is
  /// no list of integers.
  func elements(
    _ content: Span<UInt8>, as kind: Value.Kind, keeping limit: Int
  ) -> Value.List? {
    switch kind {
    case .int32List: .int32(elements(content, limit) { Int32(truncatingIfNeeded: $0) })
    case .uint32List: .uint32(elements(content, limit) { UInt32(truncatingIfNeeded: $0) })
    case .int64List: .int64(elements(content, limit) { Int64(bitPattern: $0) })
    case .uint64List: .uint64(elements(content, limit) { $0 })
    default: nil
    }
  }

  private func elements<Number>(
    _ content: Span<UInt8>, _ limit: Int, _ number: (UInt64) -> Number
  ) -> [Number] {
    var elements: [Number] = []
    elements.reserveCapacity(min(count, limit))
    var offset = 0
    while let (varint, end) = content.minimalVarint(at: offset), end <= limit {
      elements.append(number(varint))
      offset = end
    }
    return elements
  }
}
