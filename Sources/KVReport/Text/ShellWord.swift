import KVBytes
import KVSystem
package import SystemPackage

/// A path as a word of a POSIX shell, to be pasted.
///
/// Quotes keep a shell from interpreting a name. What a terminal would interpret, and bytes that
/// are not UTF-8, are produced by `printf`, because not every shell supports `$'…'`.
package enum ShellWord {
  /// Returns the word that a shell expands to `path`.
  package static func text(_ path: FilePath) -> String {
    var bytes = path.shownBytes
    // A word that begins with a hyphen would be an option.
    if bytes.first == UInt8(ascii: "-") { bytes = Array("./".utf8) + bytes }
    guard let text = String(utf8: bytes), text.unicodeScalars.allSatisfy(DisplayText.isPlain) else {
      return printed(bytes)
    }
    if !bytes.isEmpty, bytes.allSatisfy(isSafe) { return text }
    return "'" + text.replacing(scalar: "'", with: #"'\''"#) + "'"
  }

  private static func printed(_ bytes: [UInt8]) -> String {
    // The shell drops line feeds at the end of a command's output. At the end of the word, they
    // cannot be mistaken for a line of the report.
    let rest = bytes.reversed().prefix { $0 == UInt8(ascii: "\n") }.count
    let format = bytes.dropLast(rest).map { byte in
      if isSafe(byte) { return String(UnicodeScalar(byte)) }
      let digits = String(byte, radix: 8)
      return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }
    return "\"$(printf '\(format.joined())')\""
      + (rest == 0 ? "" : "'" + String(repeating: "\n", count: rest) + "'")
  }

  /// Returns whether the byte has no special meaning in any shell, in any position.
  private static func isSafe(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "_-./,:@+".utf8.contains(byte)
    }
  }
}
