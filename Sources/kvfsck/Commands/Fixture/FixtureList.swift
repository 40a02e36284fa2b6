import ArgumentParser
import KVFixtures
import KVReport

/// `kvfsck fixture --list`: the ways to damage a store.
struct FixtureList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the operators, and the formats that they are for.")

  @Flag(help: "List the operators.")
  var list = false

  func run() throws {
    let output = Output.standard
    var columns = Columns(["OPERATOR", "FORMATS", "WHAT IT DOES"])
    for damage in DamageOperator.all + DamageOperator.further {
      let formats = StoreSettings.Format.allCases.filter { damage.formats.contains($0) }
      let names =
        formats.count == StoreSettings.Format.allCases.count
        ? "all" : formats.map(\.rawValue).joined(separator: ", ")
      columns.add([damage.name, names, damage.summary])
    }
    for line in columns.lines { output.write(line) }
    throw output.finish()
  }
}
