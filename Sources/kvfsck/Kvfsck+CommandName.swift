import ArgumentParser
import KVSystem

/// The names of commands: what a word is that may be a command, misspelled or misplaced.
extension Kvfsck {
  /// The names of all commands.
  static var commands: [String] {
    let known = configuration.subcommands.map { $0.configuration }
    return known.compactMap { $0.commandName } + known.flatMap { $0.aliases } + ["help"]
  }

  /// Names that commands of other tools have for what one of these does.
  private static let synonyms = [
    ("dump", ["list", "ls", "show", "cat", "print"]), ("repair", ["fix", "recover"]),
    ("convert", ["export"]), ("scan", ["find"]), ("search", ["grep"]),
    ("check", ["info", "verify", "fsck"]),
    ("view", ["browse", "open"]),
  ]

  /// Returns the command that someone means by `name`; `nil` if it is not like any.
  private static func command(meantBy name: String) -> String? {
    if let (command, _) = synonyms.first(where: {
      $0.1.contains { $0.utf8.elementsEqual(name.utf8) }
    }) {
      return command
    }
    // Undoing a repair is never proposed to somebody who may not have asked for it.
    return NearestName.meant(by: name, among: commands.filter { $0 != "undo" })
  }

  /// Throws if the first of `arguments` is not a file and is almost a command, as which it would
  /// not be found as a store; or if the second is almost a command of `fixture`.
  static func refuseMisspelled(_ arguments: [String]) throws {
    guard let name = arguments.first, !name.hasPrefix("-") else { return }
    // The names of all commands take longer to collect than anything else here.
    if name == Check.configuration.commandName { return }
    if name == Fixture.configuration.commandName { return try refuseMisspelledFixture(arguments) }
    try refuseStore(misspelledAs: name)
  }

  /// Throws if `name` is not a file and is almost a command.
  private static func refuseStore(misspelledAs name: String) throws {
    guard !commands.contains(name), !Folder.isTaken(ProcessArguments.path(name)),
      let meant = command(meantBy: name)
    else { return }
    throw ValidationError(
      "No command or file is called \"\(name)\". Did you mean kvfsck \(meant)?")
  }

  /// Throws if `arguments` start with an option and the first of `stores`, which they ask to check
  /// as they name no command before it, is almost a command, or is one, and is not a file.
  static func refuseCommand(among stores: [String], of arguments: [String]) throws {
    guard startsWithOption(arguments), let name = stores.first else { return }
    try refuseStore(misspelledAs: name)
    if let advice = advice(about: name) { throw ValidationError(advice) }
  }

  /// Returns what to say about `arguments`, which are not understood, if they start with an option
  /// and name a command after it; `nil` if they do not.
  static func adviceToNameFirst(in arguments: [String]) -> String? {
    startsWithOption(arguments) ? arguments.lazy.compactMap(advice).first : nil
  }

  /// Returns whether `arguments` start with an option, and all words that start with a hyphen are
  /// options.
  private static func startsWithOption(_ arguments: [String]) -> Bool {
    arguments.first?.hasPrefix("-") == true && !arguments.contains("--")
  }

  /// Returns where `name` belongs if it is a command and not a file; otherwise `nil`.
  private static func advice(about name: String) -> String? {
    guard commands.contains(name), !Folder.isTaken(ProcessArguments.path(name)) else { return nil }
    // The whole command line is not repeated: it may hold a key.
    return "A command comes before its options: kvfsck \(name) …"
  }

  private static func refuseMisspelledFixture(_ arguments: [String]) throws {
    let names = Fixture.configuration.subcommands.compactMap { $0.configuration.commandName }
    guard arguments.count > 1, !arguments[1].hasPrefix("-"),
      let meant = NearestName.meant(by: arguments[1], among: names)
    else { return }
    throw ValidationError(
      "No command is called \"fixture \(arguments[1])\". Did you mean kvfsck fixture \(meant)?")
  }
}
