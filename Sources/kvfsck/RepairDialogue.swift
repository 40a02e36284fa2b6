import KVModel
import KVRecovery
import KVReport
import KVSystem

/// A dialogue that asks the user how to treat damage, as MMKV's callbacks ask the app.
struct RepairDialogue<S: Store> {
  private let comparison: AnswerComparison
  private let text: AnswerText<S>

  /// Creates the dialogue that asks which of two plans for `store` to take.
  init(_ comparison: AnswerComparison, of store: S, given diagnosis: Diagnosis) {
    self.comparison = comparison
    text = AnswerText(comparison, of: store, given: diagnosis)
  }

  /// Prints the result of each answer, and which is recommended.
  func explain() {
    write(text.question)
  }

  private func write(_ lines: [String]) {
    folded(lines).forEach(Output.error.write)
  }

  /// Prints `lines`, with the user's pager if they do not fit on the screen.
  private func show(_ lines: [String]) {
    let lines = folded(lines)
    if let height = Terminal.height(of: .error), lines.count >= height, let pager = Terminals.pager,
      Pager.show(lines.joined(separator: "\n") + "\n", by: pager)
    {
      return
    }
    lines.forEach(Output.error.write)
  }

  private func folded(_ lines: [String]) -> [String] {
    let width = Terminals.width(of: .error) ?? .max
    return lines.flatMap { FoldedText.lines(of: $0, width: width) }
  }

  /// Asks the user, and returns the plan they choose; the recommended one if they just press Enter.
  ///
  /// - Throws: `.cancelled` if they quit, or if the input ends.
  func ask() throws(RepairFailure) -> RepairPlan {
    explain()
    let terminal = Output.error
    func mark(_ answer: RecoveryDecision) -> String {
      comparison.recommended == answer ? " (Enter)" : ""
    }
    let prompt =
      "[r]ecover\(mark(.recover)), [d]iscard\(mark(.discard)), [s]how every key, [q]uit? "
    while true {
      terminal.prompt(prompt)
      guard let answer = readLine() else {
        terminal.write("")
        throw .cancelled
      }
      switch answer.lowercased().first {
      case nil: return plan(comparison.recommended)
      case "r": return plan(.recover)
      case "d": return plan(.discard)
      case "s": show(text.everyKey)
      case "q": throw .cancelled
      default: terminal.write("Answer r, d, s or q.")
      }
    }
  }

  private func plan(_ answer: RecoveryDecision) -> RepairPlan {
    answer == .recover ? comparison.recovering : comparison.discarding
  }
}
