import ArgumentParser

/// A search for an option that no command has.
///
/// The parser reports a missing option, or one that does not go with another, before an option that
/// it does not know. But `--output DIR` is why `--out DIR` is missing.
enum UnknownOption {
  /// What the parser's errors begin with.
  static let prefix = "Error: "
  /// What other tools call some options.
  private static let synonyms = ["-o": "--out", "--output": "--out"]

  /// Returns `message`, the parser's about `arguments`, with the first unknown option as the error
  /// if there is one.
  static func message(for arguments: [String], insteadOf message: String) -> String {
    guard message.hasPrefix(prefix), !message.hasPrefix(prefix + "Unknown option"),
      let (option, names) = first(in: arguments)
    else { return message }
    var text = "\(prefix)Unknown option '\(option)'"
    let meant =
      synonyms[option].flatMap { names.contains($0) ? $0 : nil }
      ?? NearestName.meant(by: option, among: names)
    if let meant { text += ". Did you mean '\(meant)'?" }
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
    let usage = lines.drop { !$0.hasPrefix("Usage:") }
    return ([Substring(text)] + usage).joined(separator: "\n")
  }

  /// Returns the first option of `arguments` that their command does not have, and the options that
  /// it has; `nil` if it has them all.
  private static func first(in arguments: [String]) -> (option: String, names: [String])? {
    let (command, rest) = command(of: arguments)
    let names = names(of: command)
    let options = rest.prefix { $0 != "--" }.compactMap(option)
    return options.first { !names.contains($0) }.map { ($0, names) }
  }

  /// Throws if the parser would take one of `arguments` for a request for help, because one of several
  /// letters after a hyphen is an h, although not all of them are options.
  static func refuseAccidentalHelp(in arguments: [String]) throws {
    let candidates = arguments.prefix { $0 != "--" }.filter {
      $0.hasPrefix("-") && !$0.hasPrefix("--") && $0.utf8.count > 2 && $0.contains("h")
    }
    guard !candidates.isEmpty else { return }
    let names = names(of: command(of: arguments).command)
    for argument in candidates where !argument.dropFirst().allSatisfy({ names.contains("-\($0)") })
    {
      throw ValidationError("Unknown option '\(argument)'. If it is a file, write ./\(argument).")
    }
  }

  /// Returns the command that `arguments` name, and the arguments after its name.
  private static func command(
    of arguments: [String]
  ) -> (command: any ParsableCommand.Type, rest: ArraySlice<String>) {
    var command: any ParsableCommand.Type = Kvfsck.self
    var rest = arguments[...]
    while let name = rest.first,
      let next = command.configuration.subcommands.first(where: { $0.isCalled(name) })
    {
      command = next
      rest.removeFirst()
    }
    let usual = command.configuration.defaultSubcommand
    return (usual ?? command, rest)
  }

  /// Returns the option that `argument` is, without its value; `nil` for anything else and for
  /// several letters after one hyphen.
  private static func option(_ argument: String) -> String? {
    if argument.hasPrefix("--") { return String(argument.prefix { $0 != "=" }) }
    let letters = argument.unicodeScalars
    guard letters.count == 2, letters.first == "-", letters.last?.properties.isAlphabetic == true
    else { return nil }
    return argument
  }

  /// Returns the names of the options of `command`, from its help.
  private static func names(of command: any ParsableCommand.Type) -> [String] {
    let help = Kvfsck.helpMessage(for: command, includeHidden: true, columns: 200)
    let common = ["--help", "-h", "--version", "--help-hidden", "--experimental-dump-help"]
    let completion = ["--generate-completion-script"]
    return common + completion
      + help.split(separator: "\n").flatMap { line in
        line.hasPrefix("  -") ? names(in: line.dropFirst(2)) : []
      }
  }

  /// Returns the names at the start of a line of help: `-k, --key <text>   The key`.
  private static func names(in line: Substring) -> [String] {
    line.split(maxSplits: 8) { " ,/".contains($0) }.prefix {
      $0.hasPrefix("-") || $0.hasPrefix("<")
    }
    .filter { $0.hasPrefix("-") }.map(String.init)
  }
}

extension ParsableCommand {
  /// Returns whether `name` is the command's name or another name for it.
  fileprivate static func isCalled(_ name: String) -> Bool {
    ([configuration.commandName].compactMap { $0 } + configuration.aliases).contains(name)
  }
}
