/// Text as XML 1.0 holds it, whatever is in it.
enum XMLText {
  /// `text` between two tags.
  static func content(_ text: String) -> String { escaped(text, keepingLines: true) }

  /// `text` between the quotation marks of an attribute; line ends and tabs are references, for
  /// readers make spaces of them.
  static func attribute(_ text: String) -> String { escaped(text, keepingLines: false) }

  private static func escaped(_ text: String, keepingLines: Bool) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n" where keepingLines: result += "\n"
      case "\t", "\n", "\r": result += "&#\(scalar.value);"
      default:
        if isHeld(scalar) {
          result.unicodeScalars.append(scalar)
        } else {
          // Not even a reference may name it.
          result += "\\u{\(String(scalar.value, radix: 16))}"
        }
      }
    }
    return result
  }

  /// Whether a document may have `scalar`; most control characters have no place in one.
  private static func isHeld(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20...0xfffd, 0x1_0000...0x10_ffff: true
    default: false
    }
  }
}
