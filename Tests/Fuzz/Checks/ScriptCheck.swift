import KVFixtures
import KVModel
import KVRecovery

extension FuzzTarget {
  /// Reads a script as text.
  ///
  /// The script must be the same after it is written and read again, and the format must be able to
  /// open the store that it makes.
  public static let script = FuzzTarget(name: "script") { bytes in
    guard let text = String(validating: bytes, as: UTF8.self), isModest(text) else { return }
    do throws(ScriptError) {
      let script = try Script(parsing: text, seed: 1)
      expectSameText(script, text)
      try simulate(script)
    } catch {
      // The line number of an error must be one that the text has.
      let count = text.unicodeScalars.count { $0 == "\n" } + 1
      if let line = error.line, !(1...count).contains(line) {
        violated("an error is in a line of the script", "\(line) of \(count)")
      }
    }
  }

  /// Expects that the text of a script that was read says the same.
  private static func expectSameText(_ script: Script, _ text: String) {
    let spelled: Script
    do throws(ScriptError) {
      spelled = try Script(parsing: try script.text(), seed: 1)
    } catch {
      violated("a script that was read has a text", "\(error.message): \(text)")
    }
    guard script.isSame(as: spelled) else {
      violated("a script is the same when it is read again", text)
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

  private static func simulate(_ script: Script) throws(ScriptError) {
    // Slow scripts are not errors of the parser.
    guard script.settings.capacity <= 1 << 16, script.settings.key == nil,
      script.settings.format != .fastkvApple || script.settings.capacity > 0
    else { return }
    var simulation = try Simulation(script, seed: 1)
    while let step = try simulation.next() {
      var image = step.before
      for event in step.events { image.apply(event) }
      guard image == step.after else {
        violated("what was recorded is what was done", "line \(step.statement.line ?? 0)")
      }
      if image.files.contains(where: { $0.bytes.count > 1 << 20 }) { return }
    }
  }
}

extension Script {
  /// Returns whether the other script says the same.
  ///
  /// A NaN counts as equal to itself.
  fileprivate func isSame(as other: Script) -> Bool {
    settings == other.settings && statements.count == other.statements.count
      && zip(statements, other.statements).allSatisfy { first, second in
        "\(first.operation)" == "\(second.operation)"
      }
  }
}
