import ArgumentParser

/// How a command prints what it measures, and tells how far it is.
struct MeasurementOptions: ParsableArguments {
  @Flag(help: "Print JSON, one object a line.")
  var json = false

  @Option(
    name: .customShort("C"),
    help: ArgumentHelp(
      "Print progress to this file descriptor: `stage current maximum path`.", valueName: "fd"))
  var progress: Int32?

  /// The reporter that prints to `output`.
  func reporter(_ output: Output) -> any MeasurementReporter {
    json ? MeasurementLines(output: output) : MeasurementText(output: output)
  }
}
