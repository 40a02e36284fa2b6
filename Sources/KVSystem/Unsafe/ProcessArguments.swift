import KVBytes
package import SystemPackage

/// The arguments of the process as bytes, which need not be UTF-8.
///
/// Swift's `CommandLine.arguments` replaces bytes that are not UTF-8, and a path made from the
/// result names another file. In ``texts``, each of those bytes becomes `\xNN` instead, and
/// ``bytes(of:)`` finds the original bytes.
package enum ProcessArguments {
  /// The arguments as text, without the program name.
  package static var texts: [String] { raw.map(RawText.text) }

  /// Whether two different arguments have the same text, so that ``bytes(of:)`` cannot tell them
  /// apart.
  package static var isAmbiguous: Bool {
    let arguments = raw
    return arguments.contains { argument in
      !RawText.isUTF8(argument)
        && arguments.contains { $0 != argument && RawText.text($0) == RawText.text(argument) }
    }
  }

  /// Returns the bytes of `text`, which is an argument or the part of one after its `=`.
  ///
  /// For any other text, returns its UTF-8.
  package static func bytes(of text: String) -> [UInt8] {
    for argument in raw where !RawText.isUTF8(argument) {
      if RawText.text(argument).utf8.elementsEqual(text.utf8) { return argument }
      guard let equals = argument.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let value = Array(argument[(equals + 1)...])
      if RawText.text(value).utf8.elementsEqual(text.utf8) { return value }
    }
    return Array(text.utf8)
  }

  /// Returns the path that `text`, an argument or the value of an option, names.
  package static func path(_ text: String) -> FilePath { FilePath(bytes: bytes(of: text)) }

  private static var raw: [[UInt8]] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      guard let argument = unsafe CommandLine.unsafeArgv[index] else { return nil }
      return unsafe Array(UnsafeBufferPointer(start: argument, count: length(argument)))
        .map { UInt8(bitPattern: $0) }
    }
  }

  private static func length(_ argument: UnsafeMutablePointer<CChar>) -> Int {
    var count = 0
    while unsafe argument[count] != 0 { count += 1 }
    return count
  }
}
