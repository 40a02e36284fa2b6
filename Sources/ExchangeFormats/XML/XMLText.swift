import KVBytes

/// Text in XML.
enum XMLText {
  /// What is wrong with `text` for XML 1.0, which some characters have no place in.
  static func obstacle(in text: String) -> String? {
    var offset = 0
    for scalar in text.unicodeScalars {
      if !isHeld(scalar) {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "XML has no U+\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits), "
          + "which is at byte \(offset)"
      }
      offset += UTF8.width(scalar)
    }
    return nil
  }

  private static func isHeld(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0a, 0x0d, 0x20...0xfffd, 0x1_0000...0x10_ffff: true
    default: false
    }
  }

  /// `text` with references for what a reader would take for something else, in text or attributes.
  ///
  /// As Android's `FastXmlSerializer.escapeAndAppendString`: line ends and tabs are references too, for
  /// readers make a line feed of a carriage return, and spaces of all three in attributes.
  static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes += "&amp;".utf8
      case UInt8(ascii: "<"): bytes += "&lt;".utf8
      case UInt8(ascii: ">"): bytes += "&gt;".utf8
      case UInt8(ascii: "\""): bytes += "&quot;".utf8
      case 0x09, 0x0a, 0x0d: bytes += "&#\(byte);".utf8
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
