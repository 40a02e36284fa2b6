import KVBytes
package import SystemPackage

/// The arguments of the process as bytes, which need not be UTF-8.
///
/// Swift's `CommandLine.arguments` replaces bytes that are not UTF-8, and a path made from the
/// result names another file. In ``texts``, each of those bytes becomes `\xNN` instead, and
/// ``bytes(of:)`` finds the original bytes.
///
/// A process that runs one command after another gives each its own arguments, by
/// ``withArguments(_:_:)``.
package enum ProcessArguments {
  /// The arguments as text, without the program name.
  package static var texts: [String] { list.raw.map(RawText.text) }

  /// Whether the system gave the arguments.
  ///
  /// On Linux, Swift reads them from `/proc`, and takes the lack of it for a process without any, even
  /// the program's name.
  package static var areKnown: Bool { CommandLine.argc > 0 }

  /// Whether two different arguments have the same text, so that ``bytes(of:)`` cannot tell them
  /// apart.
  package static var isAmbiguous: Bool {
    let list = list
    if list.notText.isEmpty { return false }
    var known: [[UInt8]: [UInt8]] = [:]
    return list.raw.contains { argument in
      let text = Array(RawText.text(argument).utf8)
      return known.updateValue(argument, forKey: text).map { $0 != argument } ?? false
    }
  }

  /// Returns the bytes of `text`, which is an argument or the part of one after its `=`.
  ///
  /// For any other text, returns its UTF-8.
  ///
  /// - Complexity: O(length of `text`), however many arguments there are.
  package static func bytes(of text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    return list.notText[bytes] ?? bytes
  }

  /// Returns the path that `text`, an argument or the value of an option, names.
  package static func path(_ text: String) -> FilePath { FilePath(bytes: bytes(of: text)) }

  /// Calls `body` as if the process had been started with `arguments`.
  package static func withArguments<Result>(
    _ arguments: [[UInt8]], _ body: () throws -> Result
  ) rethrows -> Result {
    try $given.withValue(List(arguments), operation: body)
  }

  /// Arguments, and what those that are not UTF-8 are by their texts.
  private struct List: Sendable {
    let raw: [[UInt8]]
    /// The arguments that are not UTF-8, and their parts after the first `=`, by the UTF-8 of their
    /// texts; the first of those with the same text.
    private(set) var notText: [[UInt8]: [UInt8]] = [:]

    init(_ raw: [[UInt8]]) {
      self.raw = raw
      for argument in raw where !RawText.isUTF8(argument) {
        let value = argument.firstIndex(of: UInt8(ascii: "=")).map { Array(argument[($0 + 1)...]) }
        for bytes in [argument, value].compactMap({ $0 }) {
          let text = Array(RawText.text(bytes).utf8)
          if notText[text] == nil { notText[text] = bytes }
        }
      }
    }
  }

  private static var list: List { given ?? own }

  @TaskLocal private static var given: List?

  private static let own = List(
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      guard let argument = unsafe CommandLine.unsafeArgv[index] else { return nil }
      return unsafe Array(UnsafeBufferPointer(start: argument, count: length(argument)))
        .map { UInt8(bitPattern: $0) }
    })

  private static func length(_ argument: UnsafeMutablePointer<CChar>) -> Int {
    var count = 0
    while unsafe argument[count] != 0 { count += 1 }
    return count
  }
}
