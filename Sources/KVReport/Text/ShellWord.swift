import KVBytes
import KVSystem
package import SystemPackage

/// A path as a word of a POSIX shell, to be pasted.
///
/// Quotes keep a shell from obeying what a name spells. What a terminal obeys, and bytes that are not
/// UTF-8, are made by `printf`, because `$'…'` is not known to every shell.
package enum ShellWord {
  /// The word that a shell turns into `path`.
  package static func text(_ path: FilePath) -> String {
    var bytes = path.shownBytes
    // Anything else that begins with a hyphen is an option.
    if bytes.first == UInt8(ascii: "-") { bytes = Array("./".utf8) + bytes }
    guard let text = String(utf8: bytes), text.unicodeScalars.allSatisfy(DisplayText.isPlain) else {
      return printed(bytes)
    }
    if !bytes.isEmpty, bytes.allSatisfy(isSafe) { return text }
    return "'" + text.replacing(scalar: "'", with: #"'\''"#) + "'"
  }

  private static func printed(_ bytes: [UInt8]) -> String {
    // The shell drops line feeds from the end of what a command prints. As the last characters of the
    // word they cannot pass for a line of the report.
    let rest = bytes.reversed().prefix { $0 == UInt8(ascii: "\n") }.count
    let format = bytes.dropLast(rest).map { byte in
      if isSafe(byte) { return String(UnicodeScalar(byte)) }
      let digits = String(byte, radix: 8)
      return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }
    return "\"$(printf '\(format.joined())')\""
      + (rest == 0 ? "" : "'" + String(repeating: "\n", count: rest) + "'")
  }

  /// Whether no shell has a meaning for the byte, wherever it stands.
  private static func isSafe(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "_-./,:@+".utf8.contains(byte)
    }
  }
}
