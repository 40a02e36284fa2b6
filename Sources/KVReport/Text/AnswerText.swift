import KVBytes
import KVConversion
package import KVModel
package import KVRecovery

/// The two answers to a question about damage, compared for a person who must choose.
package struct AnswerText<S: Store> {
  /// The number of keys of a kind that are listed with the question.
  private static var shortLimit: Int { TextReporter.listLimit / 2 }
  /// The number of keys of a kind that are listed on request.
  private static var longLimit: Int { 100 * TextReporter.listLimit }
  /// The number of characters of a value that are shown.
  private static var valueLimit: Int { 28 }

  private let comparison: AnswerComparison
  private let store: S
  private let typing: StoreTyping

  /// Creates the text of `comparison`, of two plans for `store`.
  package init(_ comparison: AnswerComparison, of store: S, given diagnosis: Diagnosis) {
    self.comparison = comparison
    self.store = store
    typing = StoreTyping(of: store, by: diagnosis.best)
  }

  /// The question, the result of each answer, and the keys in which they differ.
  package var question: [String] {
    comparison.recovering.decisions.map { "\($0.question): \($0.reason)." }
      + [
        "", "recover: \(origin(comparison.recovering))",
        "discard: \(origin(comparison.discarding))",
      ]
      + [""] + counts + [""] + keys(limit: Self.shortLimit) + [""] + recommendation
  }

  /// All keys in which the answers differ.
  package var everyKey: [String] { keys(limit: Self.longLimit) }

  private func origin(_ plan: RepairPlan) -> String { TextReporter.printable(plan.origin) }

  // MARK: Counts

  private var counts: [String] {
    var table = Columns(["", "recover", "discard"])
    func add(_ name: String, isAlways: Bool = false, _ count: (AnswerComparison.Tally) -> Int) {
      let numbers = [count(comparison.recovered), count(comparison.discarded)]
      guard isAlways || numbers != [0, 0] else { return }
      table.add([name] + numbers.map(String.init))
    }
    add("entries kept", isAlways: true) { $0.kept }
    for standing in AnswerComparison.Standing.allCases {
      add("  " + name(of: standing), isAlways: standing == .newest) { $0.count(standing) }
    }
    for caution in Caution.allCases {
      add("  " + name(of: caution)) { $0.count(caution) }
    }
    return table.lines
  }

  private func name(of standing: AnswerComparison.Standing) -> String {
    switch standing {
    case .newest: "the newest in the files"
    case .older: "older than another value in the files"
    case .beforeGuess: "older than a guess"
    case .removed: "removed later"
    case .unsupported: "not supported by the files"
    }
  }

  private func name(of caution: Caution) -> String {
    switch caution {
    case .mayBeDamaged: "of these, may be damaged"
    case .mayBeStale: "of these, may be stale"
    }
  }

  // MARK: Keys

  private func keys(limit: Int) -> [String] {
    let rows = comparison.rows
    let different = rows.filter { $0.recovered != nil && $0.discarded != nil && !$0.isSame }
    let onlyRecovered = rows.filter { $0.discarded == nil }
    let onlyDiscarded = rows.filter { $0.recovered == nil }
    return list("Kept by both, with different values", different, limit)
      + list("Kept only by recover", onlyRecovered, limit)
      + list("Kept only by discard", onlyDiscarded, limit)
      + ["Kept by both, with the same value: \(rows.count { $0.isSame }.grouped)"]
  }

  private func list(_ title: String, _ rows: [AnswerComparison.Row], _ limit: Int) -> [String] {
    guard !rows.isEmpty else { return ["\(title): 0"] }
    var lines = ["\(title): \(rows.count.grouped)"]
    for row in rows.prefix(limit) {
      let key = "  \(DisplayText.key(row.key))"
      switch (row.recovered, row.discarded) {
      case (let recovered?, let discarded?):
        lines += [key, "    recover: \(text(recovered))", "    discard: \(text(discarded))"]
      case (let choice?, nil), (nil, let choice?):
        lines.append("\(key) = \(text(choice))")
      case (nil, nil): break
      }
    }
    if rows.count > limit { lines.append("  and \((rows.count - limit).grouped) more") }
    return lines
  }

  /// Returns a value with its evidence and cautions.
  private func text(_ choice: AnswerComparison.Choice) -> String {
    let readings = DisplayText.readings(of: choice.entry.record, in: store, by: typing)
    let value = readings.first.map { DisplayText.value($0, limit: Self.valueLimit) } ?? ""
    var marks =
      [choice.entry.evidence.rawValue + (choice.entry.probability.map { " \($0.text)" } ?? "")]
      + choice.entry.cautions.map(\.rawValue)
    switch choice.standing {
    case .newest, .unsupported: break
    case .older, .beforeGuess: marks.append("older")
    case .removed: marks.append("removed later")
    }
    return "\(value)  [\(marks.joined(separator: ", "))]"
  }

  // MARK: Advice

  /// The better answer, and the reason.
  private var recommendation: [String] {
    let answer = comparison.recommended
    let other: RecoveryDecision = answer == .recover ? .discard : .recover
    let mine = comparison.tally(answer)
    let theirs = comparison.tally(other)
    let advice = "Recommended: \(answer.rawValue)"
    if mine.kept == 0 { return [advice + ", which sets aside the entries that can be read."] }
    if theirs.kept == 0 { return [advice + ", because \(other.rawValue) keeps nothing."] }
    if mine.count(.newest) == theirs.count(.newest) {
      return [advice + ", which keeps as many of the newest values and fewer others."]
    }
    return [
      advice + ". Of its \(Plural.count(mine.kept, "value", "values")), "
        + "\(mine.count(.newest).grouped) are the newest in the files;",
      "of the \(theirs.kept.grouped) kept by \(other.rawValue), \(theirs.count(.newest).grouped) are.",
    ]
  }
}
