import ArgumentParser
import KVFixtures
import KVSystem
import SystemPackage

/// `kvfsck fixture script`: prints a random script.
struct FixtureScript: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "script",
    abstract: "Print a random script for `fixture make` and `fixture crashes`.",
    discussion: """
      The script sets, overwrites and removes values of all types, clears and reopens, so the \
      engine grows the file and rewrites it. The same seed gives the same script.
      """)

  @Option(
    help: "The format of the store.", completion: .list(Name.all(SimulatedFormat.self)),
    transform: Name.parse)
  var format: SimulatedFormat = .mmkv

  @Option(help: ArgumentHelp("The number of operations.", valueName: "number"))
  var operations = 200

  @Option(help: ArgumentHelp("The number of keys to choose from.", valueName: "number"))
  var keys = 24

  @Option(
    help: ArgumentHelp("The random seed.", valueName: "number"))
  var seed: UInt64 = 0

  @Option(help: ArgumentHelp("The key to encrypt the store with.", valueName: "text"))
  var key: String?

  @Flag(help: "Enable expiry halfway through.")
  var expiry = false

  func validate() throws {
    guard (1...100_000).contains(operations), (1...10_000).contains(keys) else {
      throw ValidationError("--operations takes a number up to 100000, --keys one up to 10000.")
    }
    let expiring = SimulatedFormat.allCases.filter(\.hasExpiry)
    if expiry, !expiring.contains(format) {
      let names = expiring.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--expiry works only with \(names).")
    }
  }

  func run() throws {
    var settings = StoreSettings()
    settings.format = format
    settings.key = key.map { StoreKey(Array($0.utf8)) }
    var random = RandomScript(settings, operations: operations, keys: keys)
    random.hasExpiry = expiry
    let output = Output.standard
    do throws(ScriptError) {
      for line in try random.script(seed: seed).text().split(separator: "\n") {
        output.write(String(line))
      }
    } catch {
      StoreOpening.complain(error.message)
      throw ExitStatus.failed
    }
    throw output.finish()
  }
}
