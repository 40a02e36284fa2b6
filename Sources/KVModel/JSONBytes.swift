import KVBytes

/// Functions that append JSON as UTF-8 bytes.
///
/// They serve output with so many lines that creating a string for each would cost more than
/// everything else.
///
/// Reference: RFC 8259 § 7.
package enum JSONBytes {
  /// Appends `text`, which needs no escaping.
  package static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(utf8Of: text)
  }

  /// Appends `text` as a JSON string, with no more escapes than necessary.
  package static func append(quoted text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    let start = bytes.count
    append(text, to: &bytes)
    if let first = bytes[start...].firstIndex(where: needsEscape) {
      let rest = Array(bytes[first...])
      bytes.removeSubrange(first...)
      for byte in rest { append(escaped: byte, to: &bytes) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends `text` as a JSON string if it is ASCII and needs no escaping; returns whether it is.
  static func append(quotedASCII text: Span<UInt8>, to bytes: inout [UInt8]) -> Bool {
    guard text.indices.allSatisfy({ text[$0] < 0x7f && !needsEscape(text[$0]) }) else {
      return false
    }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: text)
    bytes.append(UInt8(ascii: "\""))
    return true
  }

  /// Appends the digits of `number`.
  package static func append(_ number: Int, to bytes: inout [UInt8]) {
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    var rest = number.magnitude
    var count = 1
    var tens = rest / 10
    while tens > 0 {
      tens /= 10
      count += 1
    }
    var index = bytes.count + count
    for _ in 0..<count { bytes.append(UInt8(ascii: "0")) }
    repeat {
      index -= 1
      bytes[index] += UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  /// Appends `byte`, a byte of a text, escaped as in a JSON string if necessary.
  package static func append(escaped byte: UInt8, to bytes: inout [UInt8]) {
    guard needsEscape(byte) else {
      bytes.append(byte)
      return
    }
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0a: bytes.append(UInt8(ascii: "n"))
    case 0x0c: bytes.append(UInt8(ascii: "f"))
    case 0x0d: bytes.append(UInt8(ascii: "r"))
    case ..<0x20:
      bytes.append(contentsOf: "u00".utf8)
      Hexadecimal.append(byte, to: &bytes)
    default: bytes.append(byte)
    }
  }
}
