import KVBytes
import KVModel

/// The pattern of the key that was taken last, for walks over many keys.
///
/// Most keys have the pattern of the one before: they differ from it only in digits.
struct KeyPattern {
  /// The bytes of the pattern.
  private(set) var bytes: [UInt8] = []
  /// A hash of them.
  private(set) var hash: UInt64 = 0
  /// A key that has the pattern.
  private var key: [UInt8] = []

  /// Creates the pattern of an empty key.
  init() { hash = bytes.storageSpan.hash(in: 0..<0, seed: 0) }

  /// Takes the pattern of the key of `record`, a record of `store`, and returns its hash.
  mutating func take<S: Store>(_ record: Record, in store: S) -> UInt64 {
    store.withDecoded(record.file) { take($0.extracting(record.key)) }
    return hash
  }

  private mutating func take(_ other: Span<UInt8>) {
    if key.storageSpan.differsOnlyInDigits(from: other) { return }
    key = other.indices.map { other[$0] }
    KeyName.write(patternOf: other, to: &bytes)
    hash = bytes.storageSpan.hash(in: 0..<bytes.count, seed: 0)
  }
}

extension Span<UInt8> {
  /// Returns whether the bytes are those of `other`, but for digits in place of other digits.
  fileprivate func differsOnlyInDigits(from other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    guard count >= 8 else {
      for index in 0..<count where self[index] != other[index] {
        guard self[index].isDigit, other[index].isDigit else { return false }
      }
      return true
    }
    var offset = 0
    // The last eight bytes may overlap those before.
    while offset < count {
      let start = Swift.min(offset, count - 8)
      guard Self.differOnlyInDigits(word(at: start), other.word(at: start)) else { return false }
      offset += 8
    }
    return true
  }

  private static func differOnlyInDigits(_ one: UInt64, _ other: UInt64) -> Bool {
    let difference = one ^ other
    return difference == 0 || nonzero(difference) & nonzero(beyond(one) | beyond(other)) == 0
  }

  /// Returns a byte for each of `bytes` that is 0 if that is a digit.
  private static func beyond(_ bytes: UInt64) -> UInt64 {
    let numbers = bytes ^ 0x3030_3030_3030_3030
    let low = numbers & 0x0f0f_0f0f_0f0f_0f0f
    return numbers & 0xf0f0_f0f0_f0f0_f0f0 | (low + 0x0606_0606_0606_0606) & 0x1010_1010_1010_1010
  }

  /// Returns the highest bit of each of `bytes` that is not 0.
  private static func nonzero(_ bytes: UInt64) -> UInt64 {
    let low: UInt64 = 0x7f7f_7f7f_7f7f_7f7f
    return ((bytes & low) + low | bytes) & ~low
  }
}
