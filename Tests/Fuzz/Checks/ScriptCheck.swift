import KVFixtures
import KVModel
import KVRecovery

extension FuzzTarget {
  /// Reads a script as text.
  ///
  /// The script must be the same after it is written and read again. The format must be able to
  /// open the store that the script makes.
  public static let script = FuzzTarget(name: "script") { bytes throws(Violation) in
    guard let text = String(validating: bytes, as: UTF8.self), isModest(text) else { return }
    let script: Script
    do throws(ScriptError) {
      script = try Script(parsing: text, seed: 1)
    } catch {
      return try expectPlaced(error, text)
    }
    try expectSameText(script, text)
    let unrecorded: SimulationStep?
    do throws(ScriptError) {
      unrecorded = try unrecordedStep(of: script)
    } catch {
      return try expectPlaced(error, text)
    }
    if let unrecorded {
      throw Violation(
        "what was recorded is what was done", "line \(unrecorded.statement.line ?? 0)")
    }
  }

  /// Expects that the line number of an error lies within the text.
  private static func expectPlaced(_ error: ScriptError, _ text: String) throws(Violation) {
    let count = text.unicodeScalars.count { $0 == "\n" } + 1
    if let line = error.line, !(1...count).contains(line) {
      throw Violation("an error is in a line of the script", "\(line) of \(count)")
    }
  }

  /// Expects that the script has a text, which parses to the same script.
  private static func expectSameText(_ script: Script, _ text: String) throws(Violation) {
    let spelled: Script
    do throws(ScriptError) {
      spelled = try Script(parsing: try script.text(), seed: 1)
    } catch {
      throw Violation("a script that was read has a text", "\(error.message): \(text)")
    }
    guard script.isSame(as: spelled) else {
      throw Violation("a script is the same when it is read again", text)
    }
  }

  /// Returns whether no word asks for more than 999 random bytes.
  ///
  /// Making 16 MiB is not an error, but slow.
  private static func isModest(_ text: String) -> Bool {
    text.split(separator: "random:").dropFirst().allSatisfy { rest in
      rest.prefix { $0.isNumber || $0 == "+" }.count <= 3
    }
  }

  /// Returns the first step whose events do not turn the files before it into the files after it.
  private static func unrecordedStep(of script: Script) throws(ScriptError) -> SimulationStep? {
    // Slow scripts are not errors of the parser.
    guard script.settings.capacity <= 1 << 16, script.settings.key == nil,
      script.settings.format != .fastkvApple || script.settings.capacity > 0
    else { return nil }
    var simulation = try Simulation(script, seed: 1)
    while let step = try simulation.next() {
      var image = step.before
      for event in step.events { image.apply(event) }
      if image != step.after { return step }
      if image.files.contains(where: { $0.bytes.count > 1 << 20 }) { return nil }
    }
    return nil
  }
}

extension Script {
  /// Returns whether the other script has the same settings and operations.
  ///
  /// A NaN counts as equal to itself.
  fileprivate func isSame(as other: Script) -> Bool {
    settings == other.settings && statements.count == other.statements.count
      && zip(statements, other.statements).allSatisfy { first, second in
        "\(first.operation)" == "\(second.operation)"
      }
  }
}
