import KVBytes

/// Bytes shown as text, with `\xNN` for each byte that is not part of valid UTF-8.
enum RawText {
  static func isUTF8(_ bytes: some Sequence<UInt8>) -> Bool {
    String(utf8: bytes) != nil
  }

  /// Returns the bytes as text; if any of them are not UTF-8, a backslash becomes `\x5c`.
  static func text(_ bytes: [UInt8]) -> String {
    if let text = String(utf8: bytes) { return text }
    var text = ""
    var offset = 0
    while offset < bytes.count {
      let count = (1...4).first { count in
        offset + count <= bytes.count && isUTF8(bytes[offset..<offset + count])
      }
      if let count, bytes[offset] != UInt8(ascii: "\\") {
        text += String(decoding: bytes[offset..<offset + count], as: UTF8.self)
        offset += count
      } else {
        text += "\\x" + Hexadecimal.text([bytes[offset]])
        offset += 1
      }
    }
    return text
  }
}
