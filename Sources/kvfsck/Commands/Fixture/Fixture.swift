import ArgumentParser

/// `kvfsck fixture`: makes stores to test with, and measures tools by them.
struct Fixture: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fixture",
    abstract: "Make stores from scripts, damage and crash them, and score tools by the answers.",
    discussion: """
      No device and no engine is needed. Nothing is overwritten, and the same seed makes the same \
      bytes. Docs/FIXTURES.md has the form of scripts, the operators, the answer keys, and how \
      another tool is measured.
      """,
    subcommands: [
      FixtureMake.self, FixtureScript.self, FixtureDamage.self, FixtureCorpus.self,
      FixtureScore.self, FixtureCrashes.self, FixtureCalibrate.self, FixtureList.self,
    ],
    defaultSubcommand: FixtureList.self)
}
