import ArgumentParser
import KVBytes
import KVCalibration
import KVCryptography
import KVFixtures
import KVSystem
import SystemPackage

/// `calibrate`: measures how often kvfsck is wrong when it claims to be right.
@main
struct Calibrate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calibrate",
    abstract: "Damage random stores, and count false corrections and wrong entries shown as sound.",
    discussion: """
      Makes random healthy stores in memory, damages them and reads them. The first table compares the odds \
      that corrections claim with how often they were false; the second counts wrong entries \
      that are presented as sound. Each store has a seed that reproduces it: \
      --seed SEED --stores 1, with the same --format and --damage. Exit status: 0 nothing is wrong, \
      4 something is, 32 cancelled, with the counts so far.
      """)

  private static let heavy = "heavy"
  private static let wrong: Int32 = 4
  private static let cancelled: Int32 = 32
  private static let counts = 1...10_000_000

  @Option(
    help: "Only stores of this format; may be repeated.",
    transform: { name in
      guard let format = SimulatedFormat(rawValue: name) else {
        throw ValidationError("No engine of '\(name)' is simulated.")
      }
      return format
    })
  var format: [SimulatedFormat] = []

  @Option(
    help: ArgumentHelp(
      "The number of stores; default: 1000, or 20 with --wrong-keys.", valueName: "number"))
  var stores: Int?

  @Option(
    help: ArgumentHelp("The random seed; drawn and printed if omitted.", valueName: "number"))
  var seed: UInt64?

  @Option(
    help: ArgumentHelp(
      "Only this operator, or `heavy` for two or three at once; `kvfsck fixture --list` lists them.",
      valueName: "name"))
  var damage: String?

  @Option(
    help: ArgumentHelp(
      "Instead, try this many wrong keys on healthy encrypted MMKV stores.", valueName: "number"))
  var wrongKeys: Int?

  @Option(
    help: ArgumentHelp(
      "Write each listed store with its answer key into this folder, which is created.",
      valueName: "dir"))
  var keep: String?

  @Flag(help: "Print JSON, one object per line.")
  var json = false

  func validate() throws {
    if let stores, !Self.counts.contains(stores) {
      throw ValidationError("--stores takes a number from 1 to 10000000.")
    }
    if let wrongKeys {
      guard Self.counts.contains(wrongKeys) else {
        throw ValidationError("--wrong-keys takes a number from 1 to 10000000.")
      }
      if !format.isEmpty && format != [.mmkv] || damage != nil || keep != nil {
        throw ValidationError("--wrong-keys works only with healthy mmkv stores.")
      }
    }
    if let damage, damage != Self.heavy, DamageOperator.named(damage) == nil {
      throw ValidationError("Unknown operator '\(damage)'; `kvfsck fixture --list` lists them.")
    }
    if keep?.isEmpty == true { throw ValidationError("--keep takes the path of a folder.") }
  }

  func run() throws {
    Interruption.endProcess(Self.cancelled, saying: "")
    Interruption.hold()
    let seed = self.seed ?? UInt64.random(in: 0 ... .max)
    var status = try wrongKeys.map { try tryKeys($0, seed) } ?? calibrate(seed)
    if Interruption.isRequested { status |= Self.cancelled }
    throw ExitCode(status)
  }

  /// Measures, and returns the exit status.
  private func calibrate(_ seed: UInt64) throws -> Int32 {
    let calibration = Calibration(
      seed: seed, formats: format.isEmpty ? SimulatedFormat.allCases : format,
      damage: damage.map { $0 == Self.heavy ? .heavy : .named($0) } ?? .any)
    let report = calibration.report(stores: stores ?? 1000) { Interruption.isRequested }
    if let keep, !Interruption.isRequested {
      try write(report.problems, of: calibration, into: ProcessArguments.path(keep))
    }
    write(report.tables(seed: seed))
    return report.isSound ? 0 : Self.wrong
  }

  /// Writes each store once, to a folder named by its seed.
  private func write(
    _ problems: [CalibrationProblem], of calibration: Calibration, into folder: FilePath
  ) throws(FileError) {
    var pending = PendingWrite(existing: .keep)
    var seeds: Set<UInt64> = []
    try pending.makeFolder(at: folder)
    for problem in problems where seeds.insert(problem.seed).inserted {
      guard let found = calibration.damagedCase(seed: problem.seed) else { continue }
      try FixtureWriter.add(found.store, at: folder.appending(String(problem.seed)), &pending)
    }
    try pending.commit()
  }

  /// Tries wrong keys, and returns the exit status.
  private func tryKeys(_ count: Int, _ seed: UInt64) throws -> Int32 {
    guard Cryptography.isAvailable else {
      throw ValidationError("This build has no ciphers; build it with the trait Encryption.")
    }
    let report = WrongKeys(seed: seed).report(
      keys: count, stores: stores ?? 20, isCancelled: { Interruption.isRequested })
    write(report.tables(seed: seed))
    return report.acceptedCount == 0 ? 0 : Self.wrong
  }

  private func write(_ tables: [MeasuredTable]) {
    for line in tables.flatMap({ json ? $0.jsonLines : $0.textLines }) { print(line) }
  }
}
