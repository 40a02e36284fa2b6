import ArgumentParser

/// The options for how a command prints: for programs or people, in color or not, more or less.
struct PrintOptions: ParsableArguments {
  @Flag(help: "Print JSON, one object per line.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "Print text in color; auto does so on a terminal, unless NO_COLOR is set.",
      valueName: "auto|always|never"),
    completion: .list(Name.all(Manner.Color.self)), transform: Name.parse)
  var color: Manner.Color = .auto

  @Flag(
    name: .shortAndLong,
    help: "Print only the results: no notes, advice or progress.")
  var quiet = false

  @Flag(
    name: .shortAndLong,
    help: "For a single store, also print which files were read and how its format was recognized.")
  var verbose = false

  /// The options if none is given.
  static var unset: PrintOptions {
    var unset = PrintOptions()
    unset.json = false
    unset.color = .auto
    unset.quiet = false
    unset.verbose = false
    return unset
  }

  func validate() throws {
    if quiet, verbose { throw ValidationError("Give either -q or -v.") }
  }

  /// Returns the form that these options select: that for programs, or that for people.
  func chosen<Form>(forPrograms lines: Form, forPeople text: Form) -> Form { json ? lines : text }

  /// The manner that these options select.
  var manner: Manner {
    Manner(color: color, isQuiet: quiet, isVerbose: verbose)
  }
}
