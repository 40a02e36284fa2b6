import KVBytes
import KVFixtures
import KVModel

extension CrashRun.Report {
  /// The report in parts: a table of what was read after crashes, and the problems.
  var parts: [MeasurementPart] {
    let tallies = [("killed", kills), ("power lost", powerLosses)]
    let table = MeasurementPart.table(
      [
        "", "states", "kept", "set aside", "missed", "destroyed", "stale", "stale as sound",
        "invented",
      ],
      tallies.flatMap { name, tally in [row(name, tally)] + Self.engineRows(name, tally) })
    return [.line("\(operations) operations"), table]
      + problems.enumerated().map { index, problem in
        .line(Self.text(problem, number: index + 1), Self.object(problem))
      } + (problems.count == Self.problemLimit ? [.line("…")] : [])
  }

  private func row(_ name: String, _ tally: CrashTally) -> MeasurementPart.Row {
    var object = MeasuredObject(type: "crashes")
    object.add("cause", name)
    object.add([
      "operations": operations, "states": tally.states, "kept": tally.kept,
      "set_aside": tally.setAside, "missed": tally.missed, "destroyed": tally.destroyed,
      "stale": tally.stale, "stale_though_there": tally.staleThoughThere,
      "stale_as_sound": tally.staleAsSound, "invented": tally.invented,
    ])
    return MeasurementPart.Row(
      cells: [
        name, "\(tally.states)", "\(tally.kept)", "\(tally.setAside)", "\(tally.missed)",
        "\(tally.destroyed)", "\(tally.stale + tally.staleThoughThere)",
        "\(tally.staleAsSound)", "\(tally.invented)",
      ], object: object)
  }

  private static func engineRows(_ name: String, _ tally: CrashTally) -> [MeasurementPart.Row] {
    zip(tally.engine.count == 1 ? ["library"] : ["discard", "recover"], tally.engine).map {
      answer, engine in
      var object = MeasuredObject(type: "engine-crashes")
      object.add("cause", name)
      object.add("strategy", answer)
      object.add([
        "states": tally.states, "kept": engine.kept, "lost": engine.lost, "stale": engine.stale,
        "invented": engine.invented,
      ])
      return MeasurementPart.Row(
        cells: [
          "  engine, \(answer)", "\(tally.states)", "\(engine.kept)", "", "\(engine.lost)", "",
          "\(engine.stale)", "", "\(engine.invented)",
        ], object: object)
    }
  }

  private static func text(_ problem: CrashProblem, number: Int) -> String {
    let key = problem.key.text.map(Value.quoted) ?? "0x" + Hexadecimal.text(problem.key.bytes)
    return "\(number): line \(problem.line): \(problem.kind.rawValue): \(key), "
      + problem.state.cause.text
  }

  private static func object(_ problem: CrashProblem) -> MeasuredObject {
    var object = MeasuredObject(type: "problem")
    object.add("kind", problem.kind.rawValue)
    object.add("key", problem.key.text.map { .string($0) } ?? .null)
    object.add("key_hex", Hexadecimal.text(problem.key.bytes))
    object.add("line", problem.line)
    object.add("cause", problem.state.cause.text)
    return object
  }
}
