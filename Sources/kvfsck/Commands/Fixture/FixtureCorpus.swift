import ArgumentParser
import KVBytes
import KVFixtures
import KVSystem
import SystemPackage

/// `kvfsck fixture corpus`: creates damaged stores of every kind, with answer keys.
struct FixtureCorpus: ParsableCommand, WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "corpus",
    abstract: "Make a corpus of damaged stores with answer keys, to measure tools by.",
    discussion: """
      Each format, each kind of store and each operator that has something to act on there. The \
      folder DIR has a README.md that says how another tool is measured. The same seed makes the \
      same bytes.
      """)

  @Option(help: "The seed, which decides all of it.")
  var seed: UInt64

  @Option(help: "How many places each operator is asked for that has a choice.")
  var placements = 2

  @Option(
    help: "Only stores of this format; more than once for several.",
    completion: .list(Name.all(SimulatedFormat.self)), transform: Name.parse)
  var format: [SimulatedFormat] = []

  @Option(help: ArgumentHelp("The folder to write.", valueName: "dir"), completion: .directory)
  var out: String

  func validate() throws {
    if out.isEmpty { throw ValidationError("--out takes the path of a folder.") }
    if !(1...100).contains(placements) { throw ValidationError("--placements is 1 to 100.") }
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
      output.write("Wrote \(out): \(manifest.cases.count) cases, seed \(seed)")
      for omission in manifest.omitted {
        output.write("  without \(omission.format) \(omission.base): \(omission.reason)")
      }
    } catch {
      output.flush()
      OpenedStore.complain(error.message)
      status = error.status
    }
    throw status.union(output.finish())
  }
}
