import KVModel
import KVRecovery
import KVReport

/// Asks a person what shall become of damage, as MMKV's callbacks ask the app.
struct RepairDialogue {
  private let recovering: RepairPlan
  private let discarding: RepairPlan

  /// The question whether to take the one plan or the other.
  init(_ recovering: RepairPlan, _ discarding: RepairPlan) {
    self.recovering = recovering
    self.discarding = discarding
  }

  /// The plan that the person chooses.
  ///
  /// - Throws: `.cancelled` when they quit, or when the input ends.
  func ask(about store: some Store) throws(RepairFailure) -> RepairPlan {
    let terminal = Output.error
    for decision in recovering.decisions {
      terminal.write("\(decision.question): \(decision.reason).")
    }
    terminal.write("  recover keeps \(recovering.kept.count) entries (\(recovering.origin))")
    terminal.write("  discard keeps \(discarding.kept.count) entries (\(discarding.origin))")
    while true {
      terminal.prompt("[r]ecover, [d]iscard, [s]how the difference, [q]uit? ")
      guard let answer = readLine() else {
        terminal.write("")
        throw .cancelled
      }
      switch answer.lowercased().first {
      case "r": return recovering
      case "d": return discarding
      case "s":
        for (name, plan, other) in [
          ("recover", recovering, discarding), ("discard", discarding, recovering),
        ] {
          terminal.write("Kept only by \(name):")
          TextReporter.keysOnly(in: plan, notIn: other, of: store).forEach(terminal.write)
        }
      case "q": throw .cancelled
      default: terminal.write("Answer r, d, s or q.")
      }
    }
  }
}
