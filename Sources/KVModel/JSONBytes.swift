import KVBytes

/// Pieces of JSON as bytes of UTF-8, for what writes so many lines that a string for each would cost more
/// than all the rest.
///
/// Reference: RFC 8259 § 7.
package enum JSONBytes {
  /// Texts of fewer bytes are appended byte by byte, which takes less time than to copy them as a whole.
  private static let shortCount = 16

  /// Appends `text`, of which nothing has to be escaped.
  package static func append(_ text: String, to bytes: inout [UInt8]) {
    let utf8 = text.utf8
    if utf8.count < shortCount {
      for byte in utf8 { bytes.append(byte) }
    } else {
      bytes.append(contentsOf: utf8)
    }
  }

  /// Appends `text` as a string of JSON, with no more escapes than it has to have.
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

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  /// Appends `byte`, one of a text, as it stands in a string of JSON.
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
