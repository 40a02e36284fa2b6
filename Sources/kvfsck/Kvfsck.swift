package import ArgumentParser
import KVBytes
import KVReport
import KVSystem
package import KVToolkit

/// The command-line tool.
@main
package struct Kvfsck: ParsableCommand {
  /// The version of the tool.
  static let version = "0.9.0"
  /// The line that `--version` prints.
  static let versionLine = "kvfsck \(version)"

  package static let configuration = CommandConfiguration(
    commandName: "kvfsck",
    abstract: """
      Checks, reads and repairs the key-value files of mobile apps: MMKV, FastKV, preferences and \
      databases.
      """,
    discussion: """
      A STORE is the data file of a store, a file beside it (.crc, .kva, .kvb, .kvc), or a folder \
      with one store in it; - is standard input. Stores are opened read-only.

        kvfsck check STORE                  what happened? what will the app do?
        kvfsck repair STORE --out DIR -y    write a clean store
        kvfsck merge A B --out DIR          write one store from damaged copies
        kvfsck dump STORE                   what is in it?
        kvfsck search TEXT PATH             where is this text?
        kvfsck get STORE KEY                what is the value of one key?
        kvfsck view STORE                   browse it in the terminal
        kvfsck explain CODE                 what does this finding mean?
        kvfsck help TOPIC                   verdicts, states, evidence, keys, ...

      EXIT STATUS
        The bitwise OR over all stores, as fsck(8):
      \(exitStatuses)
      """,
    version: versionLine,
    subcommands: [
      Check.self, Scan.self, Search.self, Carve.self, Dump.self, Get.self, View.self, Repair.self,
      Undo.self, MergeCopies.self, FindResidue.self, Wipe.self, Convert.self, Compare.self,
      Map.self, Report.self, VerifyLog.self, Explain.self, Serve.self, Fixture.self, Version.self,
    ],
    defaultSubcommand: Check.self)

  /// The lines about the exit statuses.
  private static var exitStatuses: String {
    Topics.exitStatuses.map { term in
      String(repeating: " ", count: 4 - term.name.count) + "\(term.name)  \(term.meaning)"
    }.joined(separator: "\n")
  }

  /// The formats that the tool knows in this run.
  @TaskLocal static var formats = FormatCatalog.standard

  package init() {}

  /// Runs the tool with the arguments of the process.
  package static func main() { run(ProcessArguments.texts, formats: .standard) }

  /// Runs the tool with `arguments` and ends the process, mapping ArgumentParser's exit codes to
  /// those of fsck(8).
  ///
  /// Call this with a larger catalog to build a tool that knows more formats.
  package static func run(_ arguments: [String], formats: FormatCatalog) -> Never {
    $formats.withValue(formats) { run(arguments) }
  }

  private static func run(_ arguments: [String]) -> Never {
    Interruption.ignoreWriteSignals()
    Interruption.endProcess(ExitStatus.cancelled.rawValue, saying: cancelled)
    let status = ProcessArguments.areKnown ? status(of: arguments) : lackOfArguments()
    ProcessEnd.exit(status.rawValue)
  }

  /// What a request to stop says before anything is written.
  static let cancelled: StaticString = "kvfsck: error: cancelled; nothing was written\n"

  /// Runs the command that `arguments` describe.
  ///
  /// - Returns: Its exit status, after a message if they do not describe one.
  static func status(of arguments: [String]) -> ExitStatus {
    do {
      guard !ProcessArguments.isAmbiguous else {
        throw ValidationError("Two arguments differ only in bytes that are not UTF-8.")
      }
      try refuseMisspelled(arguments)
      try UnknownOption.refuseAccidentalHelp(in: arguments)
      if let check = simpleCheck(arguments) {
        // Its type is known. Whether a command of another type writes files or opens stores is
        // searched for among all types of the program.
        try run(check, statusWhenUnread: check.statusWhenUnread, check.options.printing.manner)
      } else if let dump = simpleDump(arguments) {
        try run(dump, statusWhenUnread: [], dump.options.printing.manner)
      } else {
        let command = try command(of: meant(by: arguments))
        if let check = command as? Check { try refuseCommand(among: check.stores, of: arguments) }
        let writer = command as? any WritesFiles
        let opener = command as? any OpensStores
        try opener?.validateShow()
        let options = opener?.options
        try run(
          command, statusWhenUnread: writer.map(\.statusWhenUnread) ?? [],
          options?.printing.manner ?? Manner(),
          options?.evidence ?? (command as? any KeepsEvidence)?.evidence)
      }
      return []
    } catch let status as ExitStatus {
      return status
    } catch {
      guard exitCode(for: error) != .success else {
        // Output that was requested: help, the version or completions.
        let output = Output.standard
        output.write(fullMessage(for: error))
        return output.finish()
      }
      Output.error.write(failure(fullMessage(for: error), of: arguments))
      return status(after: error)
    }
  }

  /// Returns the exit status of a command that ends with `error`.
  static func status(after error: any Error) -> ExitStatus {
    if let status = error as? ExitStatus { return status }
    return exitCode(for: error) == .validationFailure ? .usage : .failed
  }

  /// Returns the status for a process whose arguments are not known, after a message.
  private static func lackOfArguments() -> ExitStatus {
    StoreOpening.complain(
      "the arguments cannot be read, because /proc is not mounted here; run "
        + "mount -t proc proc /proc first")
    return .failed
  }

  /// Runs `command`, which ends with `status` if no one reads what it prints; if that is `nil`, it
  /// goes on.
  private static func run(
    _ command: some ParsableCommand, statusWhenUnread status: ExitStatus?, _ manner: Manner,
    _ evidence: EvidenceOptions? = nil
  ) throws {
    // A command that makes files must finish or fail; one that only prints may stop when its
    // reader does. A server watches its reader itself.
    if let status, Answer.current == nil {
      Interruption.endProcess(status.rawValue, whenUnread: .output)
    }
    var command = command
    try Manner.$current.withValue(manner) {
      defer { Interruption.giveWay() }
      try (evidence ?? .unset).keeping { try StatusLine.shown { try command.run() } }
    }
  }

  /// Returns what to print about a command line for which the parser has `message`.
  private static func failure(_ message: String, of arguments: [String]) -> String {
    var text =
      adviceToNameFirst(in: arguments).map { UnknownOption.prefix + $0 }
      ?? UnknownOption.message(for: arguments, insteadOf: message)
    // All errors begin in the same way.
    let prefix = UnknownOption.prefix
    if text.hasPrefix(prefix) { text = "kvfsck: error: " + text.dropFirst(prefix.count) }
    // The message may quote an argument, which may be a path from anywhere.
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { TextReporter.printable(String($0)) }.joined(separator: "\n")
  }

  /// Returns the command that `arguments` describe.
  ///
  /// A command that is named first is parsed by itself, which takes half as long: for the root
  /// command, the parser makes the sets of arguments of the default command too. Whatever it does
  /// not accept is parsed again from the root, which knows the words for help and errors.
  private static func command(of arguments: [String]) throws -> any ParsableCommand {
    let named = configuration.subcommands.first {
      $0.configuration.commandName == arguments.first && $0.configuration.subcommands.isEmpty
    }
    if let named, let command = try? named.parseAsRoot(Array(arguments.dropFirst())),
      type(of: command) == named
    {
      return command
    }
    return try parseAsRoot(arguments)
  }

  /// Returns `arguments` in the words of the parser: help may be asked for before a command, and help
  /// about something other than a command is a page of `explain`.
  private static func meant(by arguments: [String]) -> [String] {
    if arguments == ["-V"] { return ["--version"] }
    if arguments.count == 2, ["-h", "--help"].contains(arguments[0]),
      commands.contains(arguments[1])
    {
      return ["help", arguments[1]]
    }
    guard arguments.count == 2, arguments[0] == "help", !arguments[1].hasPrefix("-"),
      !commands.contains(arguments[1])
    else { return arguments }
    return ["explain", arguments[1]]
  }
}
