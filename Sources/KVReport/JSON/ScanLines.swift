import KVBytes
import KVModel
import KVRecovery
import KVSystem

/// The line of a scan for one store.
///
/// A scan of a folder can print hundreds of thousands of such lines, so they are written without an
/// encoder. Within another object, they are encoded.
struct ResultLine: Encodable {
  /// The content of a member.
  private enum Content {
    case text(String?)
    case number(Int?)
    case texts([String])
    /// True; a member that is false is absent.
    case flag
  }

  /// The name of a member.
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// The members, sorted by their names.
  private let members: [(name: String, content: Content)]

  init(_ outcome: StoreOutcome) {
    let error = outcome.error.map { ("error", Content.text($0)) }
    // The bytes of a path that is not UTF-8.
    let bytes = outcome.path.isUTF8 ? nil : Hexadecimal.text(outcome.path.shownBytes)
    func number(_ name: String, _ number: Int?) -> (String, Content)? {
      number.map { (name, .number($0)) }
    }
    let members: [(String, Content)?] = [
      outcome.isEmptied ? ("emptied", .flag) : nil,
      ("entries", .number(outcome.entries.entries)),
      error,
      ("findings", .texts(outcome.codes)),
      ("format", .text(outcome.formatName)),
      number("guesses", outcome.entries.guessesIfAny),
      ("lost_at_next_launch", .number(outcome.lost?.entries)),
      number("lost_guesses", outcome.lost?.guessesIfAny),
      ("path", .text(outcome.path.text)),
      bytes.map { ("path_hex", .text($0)) },
      ("recoverable", .number(outcome.recoverable.entries)),
      number("recoverable_guesses", outcome.recoverable.guessesIfAny),
      number("removed", outcome.past?.removed),
      number("residual", outcome.past?.residual),
      number("residual_bytes", outcome.past?.residualBytes),
      number("superseded", outcome.past?.superseded),
      ("type", .text("result")),
      ("verdict", .text(outcome.verdict?.rawValue)),
    ]
    self.members = members.compactMap { $0 }
  }

  /// Writes the members to `line`.
  func write(to line: inout JSONLine) {
    for (name, content) in members {
      switch content {
      case .text(let text): line.member(name, text)
      case .number(let number?): line.member(name, number)
      case .number(nil): line.member(name) { $0.null() }
      case .texts(let texts): line.member(name) { $0.array(texts) { $0.text($1) } }
      case .flag: line.member(name) { $0.literal(true) }
      }
    }
  }

  func encode(to encoder: any Encoder) throws {
    var line = encoder.container(keyedBy: Name.self)
    for (name, content) in members {
      let name = Name(stringValue: name)
      switch content {
      case .text(let text): try line.encode(text, forKey: name)
      case .number(let number): try line.encode(number, forKey: name)
      case .texts(let texts): try line.encode(texts, forKey: name)
      case .flag: try line.encode(true, forKey: name)
      }
    }
  }
}

/// The totals over all stores of a scan, as its last line.
struct TotalsLine: Encodable {
  let type = "totals"
  let schema = JSONLinesReporter.schema
  let stores: Int
  let failures: Int
  let others: Int
  let entries: Int
  let guesses: Int?
  let lostAtNextLaunch: Int
  let lostGuesses: Int?
  let recoverable: Int
  let recoverableGuesses: Int?
  let superseded: Int?
  let removed: Int?
  let residual: Int?
  let residualBytes: Int?
  let emptied: Int?
  let verdicts: [String: Int]
  let formats: [String: Int]
  let findings: [String: Int]

  init(_ totals: ScanTotals) {
    stores = totals.storeCount
    failures = totals.failureCount
    others = totals.otherCount
    entries = totals.entries.entries
    guesses = totals.entries.guessesIfAny
    lostAtNextLaunch = totals.lost.entries
    lostGuesses = totals.lost.guessesIfAny
    recoverable = totals.recoverable.entries
    recoverableGuesses = totals.recoverable.guessesIfAny
    superseded = totals.past?.superseded
    removed = totals.past?.removed
    residual = totals.past?.residual
    residualBytes = totals.past?.residualBytes
    emptied = totals.emptiedCount == 0 ? nil : totals.emptiedCount
    verdicts = Dictionary(uniqueKeysWithValues: totals.verdicts.map { ($0.rawValue, $1) })
    formats = totals.formats
    findings = totals.codes
  }

  private enum CodingKeys: String, CodingKey {
    case type, schema, stores, failures, others, entries, guesses, recoverable, superseded
    case removed, residual, emptied, verdicts, formats, findings
    case lostAtNextLaunch = "lost_at_next_launch"
    case lostGuesses = "lost_guesses"
    case recoverableGuesses = "recoverable_guesses"
    case residualBytes = "residual_bytes"
  }
}
