/// Conversion between bytes and hexadecimal text, two lowercase digits per byte.
package enum Hexadecimal {
  private static let digits: [UInt8] = Array("0123456789abcdef".utf8)

  /// Returns the hexadecimal text of `bytes`.
  @specialized(where Bytes == [UInt8])
  package static func text<Bytes: Sequence<UInt8>>(_ bytes: Bytes) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(2 * bytes.underestimatedCount)
    for byte in bytes { append(byte, to: &text) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends the two digits of `byte` to `text`.
  package static func append(_ byte: UInt8, to text: inout [UInt8]) {
    text.append(digit(byte >> 4))
    text.append(digit(byte & 15))
  }

  /// Appends the digits of `bytes` to `text`, two a byte.
  package static func append(_ bytes: Span<UInt8>, to text: inout [UInt8]) {
    text.append(hexadecimalOf: bytes)
  }

  /// Returns the digits of four bytes, of which the lowest bits are the first.
  ///
  /// The digits are bytes, the first in the lowest bits. Each step works on all of them: spread the
  /// bytes, then their halves, and add what makes each half an ASCII digit.
  static func digits(of bytes: UInt32) -> UInt64 {
    var wide = UInt64(bytes)
    wide = (wide | wide << 16) & 0x0000_ffff_0000_ffff
    wide = (wide | wide << 8) & 0x00ff_00ff_00ff_00ff
    let halves = wide >> 4 & 0x000f_000f_000f_000f | (wide & 0x000f_000f_000f_000f) << 8
    let letters = (halves &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    let gap = UInt64(UInt8(ascii: "a") - 10 - UInt8(ascii: "0"))
    return halves &+ 0x3030_3030_3030_3030 &+ letters &* gap
  }

  /// Returns the digit for `number`, which is below 16.
  private static func digit(_ number: UInt8) -> UInt8 {
    number < 10 ? UInt8(ascii: "0") + number : UInt8(ascii: "a") - 10 + number
  }

  /// Returns `value` in hexadecimal with the prefix `0x` and at least `digits` digits.
  package static func text<T: BinaryInteger>(_ value: T, digits: Int = 8) -> String {
    let text = String(value, radix: 16)
    return "0x" + String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  /// Returns the bytes that `text` spells as people write them: with `0x` before, and spaces or
  /// colons between, whole bytes; `nil` if it is not of that form.
  package static func writtenBytes(_ text: String) -> [UInt8]? {
    let groups = text.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ":") }
    var bytes: [UInt8] = []
    for group in groups {
      let digits =
        group.starts(with: "0x".utf8) || group.starts(with: "0X".utf8)
        ? group.dropFirst(2) : group
      guard let part = Self.bytes(String(Substring(digits))) else { return nil }
      bytes += part
    }
    return bytes
  }

  /// Returns the bytes that `text` spells; `nil` if its length is odd or a character is not a
  /// digit.
  package static func bytes(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var high: UInt8?
    for character in text.utf8 {
      // Fold the case of letters only: setting that bit would turn control characters into digits.
      let folded = character < 0x40 ? character : character | 0x20
      guard let digit = digits.firstIndex(of: folded) else { return nil }
      if let first = high {
        bytes.append(first << 4 | UInt8(digit))
        high = nil
      } else {
        high = UInt8(digit)
      }
    }
    return high == nil ? bytes : nil
  }
}
