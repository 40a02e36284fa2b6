import KVBytes
import KVFixtures
import KVModel
import KVReport

/// Prints what was read after crashes.
struct CrashReportPrinter {
  let report: CrashRun.Report
  let output: Output

  private var tallies: [(name: String, tally: CrashTally)] {
    [("killed", report.kills), ("power lost", report.powerLosses)]
  }

  /// A table, and the problems.
  func printText() {
    output.write("\(report.operations) operations")
    var table = Columns([
      "", "states", "kept", "set aside", "missed", "destroyed", "stale", "stale as sound",
      "invented",
    ])
    for (name, tally) in tallies {
      table.add([
        name, "\(tally.states)", "\(tally.kept)", "\(tally.setAside)", "\(tally.missed)",
        "\(tally.destroyed)", "\(tally.stale + tally.staleThoughThere)",
        "\(tally.staleAsSound)", "\(tally.invented)",
      ])
      for (answer, engine) in zip(["discard", "recover"], tally.engine) {
        table.add([
          "  engine, \(answer)", "\(tally.states)", "\(engine.kept)", "", "\(engine.lost)", "",
          "\(engine.stale)", "", "\(engine.invented)",
        ])
      }
    }
    for line in table.lines { output.write(line) }
    for (index, problem) in report.problems.enumerated() {
      let key = problem.key.text.map(Value.quoted) ?? "0x" + Hexadecimal.text(problem.key.bytes)
      output.write(
        "\(index + 1): line \(problem.line): \(problem.kind.rawValue): \(key), \(problem.state.cause.text)"
      )
    }
    if report.problems.count == CrashRun.Report.problemLimit { output.write("…") }
  }

  /// A line for each table row and each problem.
  func printJSON() {
    for (name, tally) in tallies {
      write([
        ("type", .string("crashes")), ("cause", .string(name)),
        ("operations", .int64(Int64(report.operations))), ("states", number(tally.states)),
        ("kept", number(tally.kept)), ("set_aside", number(tally.setAside)),
        ("missed", number(tally.missed)),
        ("destroyed", number(tally.destroyed)), ("stale", number(tally.stale)),
        ("stale_though_there", number(tally.staleThoughThere)),
        ("stale_as_sound", number(tally.staleAsSound)), ("invented", number(tally.invented)),
      ])
      for (answer, engine) in zip(["discard", "recover"], tally.engine) {
        write([
          ("type", .string("engine-crashes")), ("cause", .string(name)),
          ("strategy", .string(answer)), ("states", number(tally.states)),
          ("kept", number(engine.kept)), ("lost", number(engine.lost)),
          ("stale", number(engine.stale)), ("invented", number(engine.invented)),
        ])
      }
    }
    for problem in report.problems {
      write([
        ("type", .string("problem")), ("kind", .string(problem.kind.rawValue)),
        ("key", problem.key.text.map { .string($0) } ?? .null),
        ("key_hex", .string(Hexadecimal.text(problem.key.bytes))), ("line", number(problem.line)),
        ("cause", .string(problem.state.cause.text)),
      ])
    }
  }

  private func number(_ count: Int) -> Value { .int64(Int64(count)) }

  private func write(_ members: [(String, Value)]) {
    let line = Value.dictionary(members.map { Value.Member($0.0, $0.1) })
    output.write(line.plainJSON ?? "")
  }
}
