/// Escaping of text for XML 1.0.
package enum XMLText {
  /// How a character is written that XML forbids, even by reference, such as U+0001.
  package enum Forbidden: Sendable {
    /// As `\u{…}`.
    case described
    /// By reference, as Android's `FastXmlSerializer` does; its reader takes any reference.
    case referred
    /// As it is, as CoreFoundation does.
    case kept
  }

  /// Returns why XML cannot represent `text`; `nil` if it can.
  package static func obstacle(in text: String) -> String? {
    var offset = 0
    for scalar in text.unicodeScalars {
      if !isHeld(scalar) {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return
          "XML cannot contain U+\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits), "
          + "which is at byte \(offset)"
      }
      offset += UTF8.width(scalar)
    }
    return nil
  }

  /// Returns `text` escaped for use between tags or in an attribute value.
  ///
  /// As Android's `FastXmlSerializer.escapeAndAppendString`, tabs and line ends become character
  /// references: XML readers turn a carriage return into a line feed, and all three into spaces in
  /// attributes. With `keepingLines`, for text that people read between two tags, line feeds stay.
  package static func escaped(
    _ text: String, keepingLines: Bool = false, _ forbidden: Forbidden = .described
  ) -> String {
    // Most texts have nothing to escape.
    guard text.utf8.contains(where: mayNeedEscape) else { return text }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": bytes += "&amp;".utf8
      case "<": bytes += "&lt;".utf8
      case ">": bytes += "&gt;".utf8
      case "\"": bytes += "&quot;".utf8
      case "\n" where keepingLines: bytes.append(0x0a)
      case "\t", "\n", "\r": bytes += "&#\(scalar.value);".utf8
      default:
        switch isHeld(scalar) ? .kept : forbidden {
        case .kept: bytes += UTF8.encode(scalar) ?? .init()
        case .referred: bytes += "&#\(scalar.value);".utf8
        case .described: bytes += "\\u{\(String(scalar.value, radix: 16))}".utf8
        }
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func mayNeedEscape(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""): true
    default: byte < 0x20 || byte > 0x7f
    }
  }

  private static func isHeld(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0a, 0x0d, 0x20...0xfffd, 0x1_0000...0x10_ffff: true
    default: false
    }
  }
}
