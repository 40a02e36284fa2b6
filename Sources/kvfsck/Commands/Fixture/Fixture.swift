import ArgumentParser

/// `kvfsck fixture`: stores to test with.
struct Fixture: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fixture",
    abstract: "Make stores to test with, from scripts, without a device or an engine.",
    subcommands: [FixtureMake.self, FixtureScript.self, FixtureCrashes.self])
}
