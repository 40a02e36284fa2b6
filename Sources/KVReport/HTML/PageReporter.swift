import KVBytes
import KVConversion
import KVModel
import KVRecovery

/// Collects what is reported, store after store, and writes it as the data of a page.
final class PageReporter: Reporter {
  /// The room for the parts of a page, in bytes of base64.
  ///
  /// What does not fit is left out, and the page says so.
  struct Budget {
    /// The room for all records.
    var records = 13 << 20
    /// The room for all bytes of files.
    var bytes = 3 << 20
  }

  private let run: ReportRun
  private let emit: (Markup) -> Void
  private var budget: Budget
  private var current: PageStore?
  private var overview: [JSONObject] = []
  private var totals: JSONObject?
  /// The names that the page uses and that need an explanation.
  private var names: Set<String> = []

  init(_ run: ReportRun, budget: Budget = Budget(), _ emit: @escaping (Markup) -> Void) {
    self.run = run
    self.budget = budget
    self.emit = emit
  }

  /// Takes in the next event.
  func report(_ event: ReportEvent) {
    switch event {
    case .begun: current = nil
    case .opened(let store, _): current = PageStore(overview.count, store)
    case .read(let table, _): current = PageStore(overview.count, table)
    case .scanned(let outcome): end(outcome)
    case .totals(let totals): self.totals = .totals(totals)
    default:
      current?.add(event)
      write(current?.takeChunks() ?? [])
    }
  }

  private func end(_ outcome: StoreOutcome) {
    current?.finish()
    write(current?.takeChunks() ?? [])
    overview.append([
      "line": ResultLine(outcome), "sentence": VerdictSentence.text(outcome),
      // Whether the page has the details of the store.
      "page": current != nil,
    ])
    guard var store = current else { return }
    store.writeWindows { writeWindow($0, $1) }
    names.formUnion(store.names)
    data("s\(store.number)", Array(store.data.json.text.utf8))
    current = nil
  }

  /// Writes blocks of records as long as there is room for them.
  private func write(_ chunks: [PageRows.Chunk]) {
    for chunk in chunks {
      let isWritten = budget.records > 0
      if isWritten { budget.records -= data(chunk.id, chunk.bytes) }
      current?.note(chunk, isWritten: isWritten)
    }
    current?.isFull = budget.records <= 0
  }

  /// Writes bytes of a file if there is room for them; returns whether there was.
  ///
  /// The first block that does not fit ends the budget, so that no more are compressed in vain.
  private func writeWindow(_ id: String, _ bytes: [UInt8]) -> Bool {
    guard budget.bytes > 0 else { return false }
    let text = Self.packed(bytes)
    guard text.utf8.count <= budget.bytes else {
      budget.bytes = 0
      return false
    }
    budget.bytes -= text.utf8.count
    emitBlock(text, id)
    return true
  }

  /// Writes a block of data; returns the number of characters that it takes.
  @discardableResult
  private func data(_ id: String, _ bytes: [UInt8]) -> Int {
    let text = Self.packed(bytes)
    emitBlock(text, id)
    return text.utf8.count
  }

  private func emitBlock(_ text: String, _ id: String) {
    emit(.element("script", ["type": "application/x-deflate", "id": id], [.verbatim(text)]))
  }

  private static func packed(_ bytes: [UInt8]) -> String { Base64.text(Deflate.packed(bytes)) }

  /// The end of the page: the stores, and the explanations of names.
  var end: [Markup] {
    let explanations = run.explanations.filter { names.contains($0.name) || Self.isGeneral($0) }
    let data: JSONObject = [
      "run": JSONObject.run(run), "totals": totals, "stores": overview,
      "explanations": explanations.map(JSONObject.explanation),
    ]
    // A `<` can only occur in a JSON string.
    let text = data.text.replacing(scalar: "<", with: "\\u003c")
    return [
      .element("script", ["type": "application/json", "id": "overview"], [.verbatim(text)])
    ]
  }

  private static func isGeneral(_ explanation: ReportRun.Explanation) -> Bool {
    StateName(rawValue: explanation.name) != nil
  }
}

/// The verdict on a store in one sentence.
enum VerdictSentence {
  static func text(_ outcome: StoreOutcome) -> String {
    let count = outcome.entries.words
    switch outcome.verdict {
    case nil: return "The store could not be read: \(outcome.error ?? "unknown reason")."
    case .unreadable: return "The store's records cannot be read."
    case .clean where outcome.isEmptied:
      return "Nothing is damaged, but the store was emptied; "
        + "\(outcome.recoverable.words) from before can be recovered."
    case .clean: return "Nothing is damaged; the store has \(count)."
    case .repairable:
      return "The store is damaged; a repair can restore it completely, with \(count)."
    case .damaged:
      return "The store is damaged: \(count) can be read, but some may be missing or wrong."
    }
  }
}
