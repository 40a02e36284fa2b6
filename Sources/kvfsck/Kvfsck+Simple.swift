import ArgumentParser
import KVBytes

/// Commands that are read without the parser, which would take longer to find out what they are than
/// they take for a small store.
extension Kvfsck {
  /// Returns the check that `arguments` describe if they have no options but `--json` and one for a
  /// key; otherwise `nil`.
  ///
  /// This is what users and scripts call most.
  static func simpleCheck(_ arguments: [String]) -> Check? {
    var arguments = arguments[...]
    if arguments.first == Check.configuration.commandName {
      arguments.removeFirst()
    } else if let name = arguments.first, name.hasPrefix("-") || commands.contains(name) {
      return nil
    }
    var check = Check(of: [])
    while let argument = arguments.popFirst() {
      if argument == "--json" {
        check.options.printing.json = true
      } else if argument.hasPrefix("-") {
        guard take(argument, &arguments, into: &check.options.key) else { return nil }
      } else {
        check.stores.append(argument)
      }
    }
    guard !check.stores.isEmpty else { return nil }
    return (try? check.validate()).map { check }
  }

  /// Returns the dump that `arguments` describe if they have no options but `--json`, `--full`,
  /// `--history` and one for a key; otherwise `nil`.
  ///
  /// This is what programs ask of `kvfsck serve`.
  static func simpleDump(_ arguments: [String]) -> Dump? {
    var arguments = arguments[...]
    guard arguments.popFirst() == Dump.configuration.commandName else { return nil }
    var dump = Dump(of: "")
    while let argument = arguments.popFirst() {
      switch argument {
      case "--json": dump.options.printing.json = true
      case "--full": dump.full = true
      case "--history": dump.history = true
      default:
        if argument.hasPrefix("-") {
          guard take(argument, &arguments, into: &dump.options.key) else { return nil }
        } else {
          guard dump.store.isEmpty else { return nil }
          dump.store = argument
        }
      }
    }
    return (try? dump.validate()).map { dump }
  }

  /// Takes an option for a key, and its value from `rest`.
  ///
  /// - Returns: Whether it is one, and the first. What else may follow, or come twice, is for the
  ///   parser.
  private static func take(
    _ argument: String, _ rest: inout ArraySlice<String>, into options: inout KeyOptions
  ) -> Bool {
    guard options.areEmpty else { return false }
    switch argument {
    case "--key-file":
      guard let file = rest.popFirst(), !file.hasPrefix("-") else { return false }
      options.file = file
    case _ where argument.hasPrefix("--key-hex="):
      let digits = String(argument.dropFirst("--key-hex=".count))
      guard !digits.isEmpty, Hexadecimal.writtenBytes(digits) != nil else { return false }
      options.hex = digits
    default: return false
    }
    return true
  }
}
