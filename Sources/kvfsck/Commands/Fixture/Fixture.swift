import ArgumentParser

/// `kvfsck fixture`: creates stores for testing, and measures tools with them.
struct Fixture: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fixture",
    abstract: "Make and damage test stores, and measure recovery tools.",
    discussion: """
      Needs no device and no app. Nothing is overwritten, and the same seed makes the same bytes. \
      Docs/FIXTURES.md explains scripts, operators (ways to damage a store), answer keys, and how to \
      measure another tool.
      """,
    subcommands: [
      FixtureMake.self, FixtureScript.self, FixtureDamage.self, FixtureCorpus.self,
      FixtureScore.self, FixtureCrashes.self, FixtureList.self,
    ],
    defaultSubcommand: FixtureList.self)
}
