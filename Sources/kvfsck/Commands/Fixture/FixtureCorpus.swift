import ArgumentParser
import KVBytes
import KVFixtures
import KVReport
import KVSystem
import SystemPackage

/// `kvfsck fixture corpus`: creates damaged stores of every kind, with answer keys.
struct FixtureCorpus: ParsableCommand, WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "corpus",
    abstract: "Make a corpus of damaged stores with answer keys, to measure recovery tools.",
    discussion: """
      Covers each format, each kind of store and each operator that applies to it. The \
      README.md in DIR explains how to measure another tool. The same seed makes the \
      same bytes.
      """)

  @Option(help: "The random seed.")
  var seed: UInt64

  @Option(help: "How many places to damage, for each operator that has a choice.")
  var placements = 2

  @Option(
    help: "Only stores of this format; may be repeated.",
    completion: .list(Name.all(SimulatedFormat.self)), transform: Name.parse)
  var format: [SimulatedFormat] = []

  @Option(help: ArgumentHelp("The folder to write.", valueName: "dir"), completion: .directory)
  var out: String

  func validate() throws {
    try checkFolder(out)
    if !(1...100).contains(placements) {
      throw ValidationError("--placements takes a number from 1 to 100.")
    }
  }

  func run() throws {
    let output = Output.standard
    var status: ExitStatus = []
    do throws(FixtureError) {
      let writer = FixtureWriter()
      let formats = format.isEmpty ? SimulatedFormat.allCases : format
      let corpus = Corpus(
        seed: seed, placements: placements, formats: Set(formats),
        madeBy: Kvfsck.configuration.version)
      let manifest = try writer.write(corpus, to: ProcessArguments.path(out))
      output.write(
        "Wrote \(TextReporter.printable(ProcessArguments.path(out).text)): \(manifest.cases.count) cases, seed \(seed)"
      )
      for omission in manifest.omitted {
        output.write("  without \(omission.format) \(omission.base): \(omission.reason)")
      }
    } catch {
      output.flush()
      StoreOpening.complain(error.message)
      status = error.status
    }
    throw status.union(output.finish())
  }
}
