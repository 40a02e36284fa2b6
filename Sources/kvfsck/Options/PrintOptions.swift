import ArgumentParser

/// The options for how a command prints: for programs or people, in color or not, more or less.
struct PrintOptions: ParsableArguments {
  @Flag(help: "Print JSON, one object a line.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "Print text in color: auto does on a terminal, unless NO_COLOR is set.",
      valueName: "auto|always|never"),
    completion: .list(Name.all(Manner.Color.self)), transform: Name.parse)
  var color: Manner.Color = .auto

  @Flag(
    name: .shortAndLong,
    help: "Print only what was asked for: no notes, no advice, no progress.")
  var quiet = false

  @Flag(
    name: .shortAndLong,
    help: "Note also which files were read, and how their format was recognized.")
  var verbose = false

  func validate() throws {
    if quiet, verbose { throw ValidationError("Give either -q or -v.") }
  }

  /// The manner that these options select.
  var manner: Manner {
    Manner(color: color, isQuiet: quiet, isVerbose: verbose)
  }
}
