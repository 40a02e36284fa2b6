import ArgumentParser
import KVBytes
import KVCryptography
import KVFixtures
import KVModel
import KVReport
import KVSystem
import SystemPackage

/// `kvfsck fixture calibrate`: measures how often kvfsck is wrong when it claims to be right.
struct FixtureCalibrate: ParsableCommand, WritesFiles {
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

  @Option(
    help: "Only stores of this format; may be repeated.",
    completion: .list(Name.all(SimulatedFormat.self)), transform: Name.parse)
  var format: [SimulatedFormat] = []

  @Option(
    help: ArgumentHelp(
      "The number of stores; default: 1000, or 20 with --wrong-keys.", valueName: "number"))
  var stores: Int?

  @Option(
    help: ArgumentHelp(
      "The random seed; drawn and printed if omitted.",
      valueName: "number"))
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
      valueName: "dir"), completion: .directory)
  var keep: String?

  @OptionGroup var printing: MeasurementOptions

  var statusWhenUnread: ExitStatus? { keep == nil ? [] : .cancelled }

  func validate() throws {
    if let stores, !(1...10_000_000).contains(stores) {
      throw ValidationError("--stores takes a number from 1 to 10000000.")
    }
    if let wrongKeys {
      guard (1...10_000_000).contains(wrongKeys) else {
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

  private static let heavy = "heavy"
  private static let usualStores = 1000
  private static let usualKeyStores = 20

  func run() throws {
    Interruption.hold()
    let seed = self.seed ?? UInt64.random(in: 0 ... .max)
    let output = Output.standard
    var status =
      if let wrongKeys {
        tryKeys(wrongKeys, seed, output)
      } else {
        calibrate(seed, output)
      }
    if Interruption.isRequested { status.insert(.cancelled) }
    throw status.union(output.finish())
  }

  private func calibrate(_ seed: UInt64, _ output: Output) -> ExitStatus {
    let count = stores ?? Self.usualStores
    let calibration = Calibration(
      seed: seed, formats: format.isEmpty ? SimulatedFormat.allCases : format,
      damage: damage.map { $0 == Self.heavy ? .heavy : .named($0) } ?? .any)
    let progress = Progress(descriptor: printing.progress, maximum: count)
    let report = calibration.report(
      stores: count, isCancelled: { Interruption.isRequested },
      progress: { progress.report("calibrate", $0, "") })
    progress.report("calibrate", count, "")
    if let keep, !Interruption.isRequested {
      do throws(FixtureError) {
        try write(report.problems, of: calibration, into: ProcessArguments.path(keep))
      } catch {
        OpenedStore.complain(error.message)
        return error.status
      }
    }
    printing.reporter(output).report(
      CalibrationMeasurement(report: report, seed: seed, replay: replay).parts)
    return report.isSound ? [] : .damaged
  }

  /// The command that re-creates a store from its seed, without the seed.
  private var replay: String {
    (["kvfsck fixture calibrate"] + format.map { "--format \($0.rawValue)" }
      + (damage.map { ["--damage \($0)"] } ?? []) + ["--stores 1 --seed"])
      .joined(separator: " ")
  }

  /// Writes each store once, to a folder named by its seed.
  private func write(
    _ problems: [CalibrationProblem], of calibration: Calibration, into folder: FilePath
  ) throws(FixtureError) {
    var pending = PendingWrite(existing: .keep, isCancelled: { Interruption.isRequested })
    var seeds: Set<UInt64> = []
    do throws(FileError) {
      try pending.makeFolder(at: folder)
      for problem in problems where seeds.insert(problem.seed).inserted {
        guard let found = calibration.damagedCase(seed: problem.seed) else { continue }
        try FixtureWriter.add(
          found.store, at: folder.appending(String(problem.seed)), &pending)
      }
      try pending.commit()
    } catch {
      throw .file(error)
    }
  }

  private func tryKeys(_ count: Int, _ seed: UInt64, _ output: Output) -> ExitStatus {
    guard Cryptography.isAvailable else {
      OpenedStore.complain("this build has no ciphers; build it with the trait Encryption")
      return .failed
    }
    let progress = Progress(descriptor: printing.progress, maximum: count)
    let report = WrongKeys(seed: seed).report(
      keys: count, stores: stores ?? Self.usualKeyStores,
      isCancelled: { Interruption.isRequested },
      progress: { progress.report("calibrate", $0, "") })
    printing.reporter(output).report(WrongKeyMeasurement(report: report, seed: seed).parts)
    return report.acceptedCount == 0 ? [] : .damaged
  }
}
