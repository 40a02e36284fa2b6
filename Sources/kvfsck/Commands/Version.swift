import ArgumentParser

/// `kvfsck version`: what `--version` prints.
struct Version: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version", abstract: "Print the version; the same as --version and -V.")

  func run() throws {
    let output = Output.standard
    output.write(Kvfsck.versionLine)
    throw output.finish()
  }
}
