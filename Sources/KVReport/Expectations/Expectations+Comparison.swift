import KVBytes
import KVModel
import KVRecovery

extension Expectations {
  /// Returns the differences between a store and the expectations, without repetitions.
  package func differences(from facts: StoreFacts) -> [Difference] {
    var seen: Set<Difference> = []
    return sections.flatMap { $0.differences(from: facts) }.filter { seen.insert($0).inserted }
  }
}

extension Expectations.Section {
  fileprivate func differences(from facts: StoreFacts) -> [Difference] {
    var found = Comparer()
    if let store {
      found.compare("store", "", "format", store.format, facts.formatName)
      found.compare("store", "", "encrypted", store.isEncrypted, facts.isEncrypted)
      found.compare("store", "", "version", store.version, facts.version)
    }
    found.compare("summary", "", "verdict", summary?.verdict, facts.verdict.rawValue)
    if !findings.isEmpty || summary?.findings == 0 {
      found.compare(findings, facts.findings)
    } else {
      found.compare("summary", "", "findings", summary?.findings, facts.findings.count)
    }
    if !states.isEmpty { found.compare(states, facts.states) }
    for prediction in predictions { found.compare(prediction, facts.predictions) }
    if !entries.isEmpty {
      EntryComparison(entries, facts.entries).add(to: &found)
    } else if let count = summary?.entries, !facts.entryCounts.contains(count) {
      if count == 0 {
        EntryComparison([], facts.entries).add(to: &found)
      } else {
        found.compare("summary", "", "entries", count, facts.entries.count)
      }
    }
    return found.differences
  }
}

/// Collects differences.
struct Comparer {
  private(set) var differences: [Difference] = []

  mutating func add(_ difference: Difference) { differences.append(difference) }

  /// Compares a field, if the line states it.
  mutating func compare<Content: Equatable>(
    _ line: String, _ subject: String, _ field: String, keyHex: String? = nil,
    _ expected: Content?, _ found: Content
  ) {
    guard let expected, expected != found else { return }
    add(
      Difference(
        line, .changed, subject, field: field, keyHex: keyHex, expected: Self.text(expected),
        found: Self.text(found)))
  }

  private static func text(_ content: some Equatable) -> String {
    guard let texts = content as? [String] else {
      return TextReporter.printable("\(content)")
    }
    return texts.isEmpty ? "none" : TextReporter.printable(texts.joined(separator: " "))
  }

  // MARK: Findings

  private struct Kind: Hashable {
    let code: String
    let severity: Finding.Severity
  }

  fileprivate mutating func compare(
    _ expected: [Expectations.FindingLine], _ found: [Finding]
  ) {
    var left: [Kind: [Int]] = [:]
    for (index, finding) in found.enumerated().reversed() {
      left[Kind(code: finding.code, severity: finding.severity), default: []].append(index)
    }
    /// Removes and returns a finding with the first of these severities that has any left.
    func take(_ code: String, _ severities: [Finding.Severity]) -> Int? {
      for severity in severities {
        if let index = left[Kind(code: code, severity: severity)]?.popLast() { return index }
      }
      return nil
    }
    // Lines with a severity come first; the others take what is left.
    var unmatched: [Expectations.FindingLine] = []
    for line in expected.filter({ $0.severity != nil }) + expected.filter({ $0.severity == nil }) {
      if take(line.code, line.severity.map { [$0] } ?? [.damage, .warning, .note]) == nil {
        unmatched.append(line)
      }
    }
    for line in unmatched {
      let code = TextReporter.printable(line.code)
      if let severity = line.severity, let index = take(line.code, [.damage, .warning, .note]) {
        compare("finding", code, "severity", severity.rawValue, found[index].severity.rawValue)
      } else {
        add(Difference("finding", .missing, code, expected: line.severity?.rawValue))
      }
    }
    for index in left.values.joined().sorted() {
      let finding = found[index]
      let place = finding.extent.map { " at \(Hexadecimal.text($0.offset, digits: 1))" } ?? ""
      add(
        Difference(
          "finding", .unexpected, finding.code,
          found: "\(finding.severity.rawValue)\(place): \(TextReporter.printable(finding.message))")
      )
    }
  }

  // MARK: States and predictions

  fileprivate mutating func compare(
    _ expected: [Expectations.StateLine], _ found: [StoreFacts.State]
  ) {
    for line in expected {
      let name = TextReporter.printable(line.name)
      guard let state = found.first(where: { $0.name == line.name }) else {
        add(
          Difference(
            "state", .missing, name,
            expected: line.entries.map { Plural.count($0, "entry", "entries") }))
        continue
      }
      compare("state", name, "entries", line.entries, state.entries)
      compare("state", name, "evidence", line.evidence, state.evidence)
    }
    for state in found where !expected.contains(where: { $0.name == state.name }) {
      add(
        Difference(
          "state", .unexpected, state.name,
          found: Plural.count(state.entries, "entry", "entries")))
    }
  }

  /// Compares a prediction; a line without a strategy applies to all strategies, and one without a
  /// premise to all premises.
  fileprivate mutating func compare(
    _ expected: Expectations.PredictionLine, _ found: [EnginePrediction]
  ) {
    let meant = found.filter {
      $0.answer.rawValue == expected.strategy ?? $0.answer.rawValue
        && (expected.premise == nil || $0.load.premise == expected.premise)
    }
    if meant.isEmpty {
      add(
        Difference(
          "prediction", .missing, TextReporter.printable(expected.strategy ?? ""),
          expected: expected.outcome.map { TextReporter.printable($0) }))
    }
    for prediction in meant {
      let name = prediction.answer.rawValue
      let load = prediction.load
      compare("prediction", name, "outcome", expected.outcome, load.outcome.rawValue)
      compare("prediction", name, "callbacks", expected.callbacks, load.callbacks)
      compare("prediction", name, "keys", expected.keys, prediction.keyCount)
      compare("prediction", name, "lost", expected.lost, prediction.lostKeys.count)
      compare("prediction", name, "unsupported", expected.unsupported, prediction.unsupportedCount)
      if let keys = expected.lostKeys { compareLost(name, keys, prediction.lostKeys) }
    }
  }

  /// Compares the lost keys, and names those that only one side has.
  private mutating func compareLost(_ name: String, _ expected: [Key], _ found: [Key]) {
    guard Set(expected) != Set(found) else { return }
    func only(_ keys: [Key], _ others: [Key]) -> String {
      let rest = Set(keys).subtracting(others).sorted()
      if rest.isEmpty { return "no others" }
      return "also " + rest.prefix(8).map { DisplayText.key($0, limit: 30) }.joined(separator: ", ")
        + (rest.count > 8 ? " and \(rest.count - 8) more" : "")
    }
    add(
      Difference(
        "prediction", .changed, name, field: "lost_keys_hex", expected: only(expected, found),
        found: only(found, expected)))
  }
}
