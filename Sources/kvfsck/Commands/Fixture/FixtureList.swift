import ArgumentParser
import KVFixtures
import KVReport

/// `kvfsck fixture --list`: lists the ways to damage a store.
struct FixtureList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the operators and the formats they apply to.")

  @Flag(help: "List the operators.")
  var list = false

  func run() throws {
    let output = Output.standard
    var columns = Columns(["OPERATOR", "FORMATS", "WHAT IT DOES"])
    let formats = Kvfsck.formats.fixtureFormats
    for damage in DamageOperator.all + DamageOperator.further {
      let own = formats.filter { damage.isFor($0) }.map(\.name)
      let names = own.count == formats.count ? "all" : own.joined(separator: ", ")
      columns.add([damage.name, names, damage.summary])
    }
    let tables = Set(TableFormat.allCases.map(\.formatName)).sorted().joined(separator: ", ")
    for damage in TableDamageOperator.all { columns.add([damage.name, tables, damage.summary]) }
    for line in columns.lines { output.write(line) }
    throw output.finish()
  }
}
