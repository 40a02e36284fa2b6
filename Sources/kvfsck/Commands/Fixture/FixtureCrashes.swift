import ArgumentParser
import KVBytes
import KVFixtures
import KVModel
import KVReport
import KVSystem
import KVToolkit
import SystemPackage

/// `kvfsck fixture crashes`: stops a script at every possible moment.
struct FixtureCrashes: ParsableCommand, WritesFiles {
  static let configuration = CommandConfiguration(
    commandName: "crashes",
    abstract: "Interrupt a script at every moment, and count what can still be read.",
    discussion: """
      Kills the process after and in the middle of each store to memory, and loses power \
      with every subset of the unwritten pages on the disk. Exit status: 0 every \
      entry whose bytes are present is read, 4 one is not, 16 the script has an error.
      """)

  @Argument(help: ArgumentHelp("The script.", valueName: "script"), completion: .file())
  var script: String

  @OptionGroup var format: ScriptFormat

  @Option(
    help: ArgumentHelp("The random seed.", valueName: "number"))
  var seed: UInt64 = 0

  @Option(
    help: ArgumentHelp(
      "The maximum number of power-loss states to examine at one moment; 4096 covers all states with up to 12 dirty pages.",
      valueName: "number"))
  var powerLosses = 16

  @Flag(help: "Lose power after each store to memory, not only after each operation.")
  var thorough = false

  @Option(
    help: ArgumentHelp(
      "Write the files of each state with a problem into this folder, which is created.",
      valueName: "dir"), completion: .directory)
  var keep: String?

  @Option(
    help: ArgumentHelp(
      "With --keep, also write one in this many of all states, each with an answer key.",
      valueName: "number"))
  var sample: Int?

  @OptionGroup var printing: MeasurementOptions

  var statusWhenUnread: ExitStatus? { keep == nil ? [] : .cancelled }

  func validate() throws {
    guard (0...1 << 20).contains(powerLosses) else {
      throw ValidationError("--power-losses takes a number from 0 to \(1 << 20).")
    }
    if let sample {
      guard sample > 0 else { throw ValidationError("--sample takes a number from 1.") }
      guard keep != nil else { throw ValidationError("--sample needs --keep.") }
    }
  }

  func run() throws {
    let output = Output.standard
    let report: CrashRun.Report
    do throws(ScriptFile.Failure) {
      report = try self.report()
    } catch {
      StoreOpening.complain(error.message)
      throw error.status
    }
    do throws(FileError) {
      if let keep { try write(report, into: ProcessArguments.path(keep)) }
    } catch {
      StoreOpening.complain(error.message)
      throw ScriptFile.Failure.file(error).status
    }
    printing.reporter(output).report(report.parts)
    throw (report.problems.isEmpty ? ExitStatus() : .damaged).union(output.finish())
  }

  /// Writes the states with problems to folders named by the numbers in the printed report, and
  /// those of the sample to `sample-1` and so on.
  private func write(_ report: CrashRun.Report, into folder: FilePath) throws(FileError) {
    var pending = PendingWrite(existing: .keep)
    try pending.makeFolder(at: folder)
    for (index, problem) in report.problems.enumerated() {
      let own = folder.appending(String(index + 1))
      try pending.makeFolder(at: own)
      for file in problem.state.image.files {
        try pending.add(file.bytes, at: own.appending(file.name))
      }
    }
    for (index, sample) in report.sample.enumerated() {
      try FixtureWriter.add(sample, at: folder.appending("sample-\(index + 1)"), &pending)
    }
    try pending.commit()
  }

  private func report() throws(ScriptFile.Failure) -> CrashRun.Report {
    let path = ProcessArguments.path(script)
    let parsed = try ScriptFile.read(path, seed: seed, format)
    var limits = CrashRun.Limits(powerLosses: powerLosses, isThorough: thorough)
    limits.sampleDistance = sample ?? 0
    let run = Self.run(parsed, seed: seed, limits: limits)
    let count = parsed.statements.count
    let progress = Progress(descriptor: printing.progress, maximum: count)
    return try ScriptFile.carrying(path) { () throws(ScriptError) in
      try run.report { progress.report("crashes", $0, script) }
    }
  }

  private static func run(
    _ script: Script, seed: UInt64, limits: CrashRun.Limits
  ) -> CrashRun {
    let now = script.settings.now
    guard let table = script.settings.table,
      let reader = Kvfsck.formats.readers(FormatOptions(now: now), named: table.formatName).first
    else { return CrashRun(script, seed: seed, limits: limits) }
    return CrashRun(script, as: table, readBy: reader, seed: seed, limits: limits)
  }
}
