import ArgumentParser
import KVReport

/// Which readings of a value are shown.
struct ReadingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Which readings of a value whose type is not stored are shown: the best, which JSON has otherwise, or all.",
      valueName: "best|all"),
    completion: .list(Name.all(ValueDetail.Readings.self)), transform: Name.parse)
  var readings: ValueDetail.Readings?
}
