/// How this run prints for people.
struct Manner: Sendable {
  /// When text is in color.
  enum Color: String, CaseIterable, Sendable {
    /// On a terminal that wants it.
    case auto
    /// In files and pipes too.
    case always
    /// Nowhere.
    case never
  }

  /// That of the command that runs.
  @TaskLocal static var current = Manner()

  var color = Color.auto
  /// Whether only what was asked for is printed (`--quiet`).
  var isQuiet = false
  /// Whether more is printed than usual (`--verbose`).
  var isVerbose = false
}
