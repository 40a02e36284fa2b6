import ArgumentParser

/// `kvfsck version`: what `--version` prints.
struct Version: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version", abstract: "Print the version, as --version and -V do.")

  func run() throws {
    let output = Output.standard
    output.write(Kvfsck.versionLine)
    throw output.finish()
  }
}
