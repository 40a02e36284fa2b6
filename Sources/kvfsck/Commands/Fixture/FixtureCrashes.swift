import ArgumentParser
import KVBytes
import KVFixtures
import KVModel
import KVReport
import KVSystem
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

  @OptionGroup var printing: MeasurementOptions

  var statusWhenUnread: ExitStatus? { keep == nil ? [] : .cancelled }

  func validate() throws {
    guard (0...1 << 20).contains(powerLosses) else {
      throw ValidationError("--power-losses takes a number from 0 to \(1 << 20).")
    }
  }

  func run() throws {
    let output = Output.standard
    let report: CrashRun.Report
    do throws(ScriptFile.Failure) {
      report = try self.report()
    } catch {
      OpenedStore.complain(error.message)
      throw error.status
    }
    do throws(FileError) {
      if let keep { try write(report.problems, into: ProcessArguments.path(keep)) }
    } catch {
      OpenedStore.complain(error.message)
      throw ScriptFile.Failure.file(error).status
    }
    printing.reporter(output).report(report.parts)
    throw (report.problems.isEmpty ? ExitStatus() : .damaged).union(output.finish())
  }

  /// Writes the files of each state once, to folders named by the numbers in the printed report.
  private func write(_ problems: [CrashProblem], into folder: FilePath) throws(FileError) {
    var pending = PendingWrite(existing: .keep)
    try pending.makeFolder(at: folder)
    for (index, problem) in problems.enumerated() {
      let own = folder.appending(String(index + 1))
      try pending.makeFolder(at: own)
      for file in problem.state.image.files {
        try pending.add(file.bytes, at: own.appending(file.name))
      }
    }
    try pending.commit()
  }

  private func report() throws(ScriptFile.Failure) -> CrashRun.Report {
    let path = ProcessArguments.path(script)
    let parsed = try ScriptFile.read(path, seed: seed)
    let run = CrashRun(
      parsed, seed: seed,
      limits: CrashRun.Limits(powerLosses: powerLosses, isThorough: thorough))
    let count = parsed.statements.count
    let progress = Progress(descriptor: printing.progress, maximum: count)
    return try ScriptFile.carrying(path) { () throws(ScriptError) in
      try run.report { progress.report("crashes", $0, script) }
    }
  }
}
