import ArgumentParser

/// The options for how a command prints its measurements and its progress.
struct MeasurementOptions: ParsableArguments {
  @Flag(help: "Print JSON, one object per line.")
  var json = false

  @Option(
    name: .customShort("C"),
    help: ArgumentHelp(
      "Print progress to this file descriptor: `stage current maximum path`.", valueName: "fd"))
  var progress: Int32?

  /// Returns the reporter that prints to `output`.
  func reporter(_ output: Output) -> any MeasurementReporter {
    json ? MeasurementLines(output: output) : MeasurementText(output: output)
  }
}
