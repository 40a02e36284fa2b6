import ArgumentParser
import SystemPackage

/// What `check` judges stores by, and which files the judgement goes into.
struct JudgementOptions: ParsableArguments {
  /// How the names of files of stores end that no report may come to lie among.
  private static let storeExtensions: Set = ["crc", "kva", "kvb", "kvc", "fkv"]

  @Option(
    help: ArgumentHelp(
      "The least severity that makes the exit status 4.", valueName: "warning|damage"),
    completion: .list(Name.all(FailureThreshold.self)), transform: Name.parse)
  var failOn: FailureThreshold = .damage

  @Option(
    help: ArgumentHelp(
      "Compare the store with lines of `check --json` and `dump --json` in this file, and print only the differences; 4 where there are any.",
      valueName: "file"))
  var expect: String?

  @Option(
    help: ArgumentHelp(
      "Write a JUnit report to this file too; the report of an earlier run is replaced.",
      valueName: "file"))
  var junit: String?

  @Option(
    help: ArgumentHelp(
      "Write a SARIF 2.1.0 report to this file too; the report of an earlier run is replaced.",
      valueName: "file"))
  var sarif: String?

  func validate() throws {
    for (name, path) in [("--junit", junit), ("--sarif", sarif), ("--expect", expect)] {
      if path == "" || path == "-" { throw ValidationError("\(name) takes the path of a file.") }
    }
    for (name, path) in [("--junit", junit), ("--sarif", sarif)] {
      guard let path, let ending = FilePath(path).extension?.lowercased() else { continue }
      if JudgementOptions.storeExtensions.contains(ending) {
        throw ValidationError("\(name): a name in .\(ending) is that of a store's file.")
      }
    }
    if let junit, junit == sarif {
      throw ValidationError("--junit and --sarif need a file each.")
    }
  }

  /// Whether what was found is needed after it was printed.
  var writesReports: Bool { junit != nil || sarif != nil }
}
