/// How this run prints for people.
struct Manner: Sendable {
  /// When text is in color.
  enum Color: String, CaseIterable, Sendable {
    /// On a terminal, unless the user disabled it.
    case auto
    /// Always, even in files and pipes.
    case always
    /// Never.
    case never
  }

  /// The manner of the running command.
  @TaskLocal static var current = Manner()

  var color = Color.auto
  /// Whether only what was requested is printed (`--quiet`).
  var isQuiet = false
  /// Whether more than usual is printed (`--verbose`).
  var isVerbose = false
}
