import KVModel
import KVRecovery

/// The line of a scan for one store.
///
/// Its members are written one by one, as making an object first takes a scan of many small stores
/// longer than reading them.
struct ResultLine: JSONContent {
  private let outcome: StoreOutcome

  /// Creates the line for a store with this outcome.
  init(_ outcome: StoreOutcome) { self.outcome = outcome }

  func write(to line: inout JSONLine) { line.object(writeMembers) }

  /// Writes the members to an object, sorted by name.
  func writeMembers(to line: inout JSONLine) {
    let (lost, past) = (outcome.lost, outcome.past)
    let isRead = outcome.verdict.map { $0 != .unreadable } ?? false
    if let app = outcome.app { line.member("app", app) }
    if outcome.isEmptied { line.member("emptied") { $0.literal(true) } }
    if isRead { line.member("entries", outcome.entries.entries) }
    if let error = outcome.error { line.member("error", error) }
    line.member("findings") { line in
      line.array { line in
        for code in outcome.codes { line.element { $0.text(code) } }
      }
    }
    line.member("format", outcome.formatName)
    add("guesses", outcome.entries.guessesIfAny, to: &line)
    line.member("lost_at_next_launch") { line in
      if let lost { line.number(lost.entries) } else { line.null() }
    }
    add("lost_guesses", lost?.guessesIfAny, to: &line)
    line.member("path", ReportedPath(outcome.path))
    if isRead { line.member("recoverable", outcome.recoverable.entries) }
    add("recoverable_guesses", outcome.recoverable.guessesIfAny, to: &line)
    add("removed", past?.removed, to: &line)
    add("residual", past?.residual, to: &line)
    add("residual_bytes", past?.residualBytes, to: &line)
    add("superseded", past?.superseded, to: &line)
    line.member("type", "result")
    line.member("verdict", outcome.verdict?.rawValue)
  }

  private func add(_ name: String, _ number: Int?, to line: inout JSONLine) {
    if let number { line.member(name, number) }
  }
}
