import KVModel
import KVRecovery
import SystemPackage

/// What `check` found out about one path: what documents for continuous integration are made of.
///
/// It holds no bytes of the files, so that what was found about many stores can be kept.
struct CheckedStore {
  /// How it came out.
  enum Outcome {
    /// Nothing speaks against the store.
    case passed
    /// It is not as it should be.
    case failed
    /// It could not be read.
    case notRun

    /// What the exit status of a single store stands for.
    init(exit: Int32) { self = exit & 8 != 0 ? .notRun : exit == 0 ? .passed : .failed }
  }

  /// The path, as it was given.
  let path: String
  /// The name of the format; `nil` where the path could not be opened.
  private(set) var formatName: String?
  /// The files, the one with the entries first, without their bytes.
  private(set) var files: [StoreFile] = []
  /// What was found in it.
  private(set) var findings: [Finding] = []
  /// How it compares with what was expected.
  private(set) var expectation: ExpectationResult?
  /// Why the path could not be opened.
  private(set) var obstacle: String?
  private var outcomeLine: ReportSummary?

  init(path: String) { self.path = path }

  /// Keeps what an event says.
  mutating func add(_ event: ReportEvent) {
    switch event {
    case .failed(_, let reason): obstacle = reason
    case .opened(let store, _): open(store.formatName, store.files)
    case .read(let table): open(table.formatName, table.files)
    case .findings(let findings, _): self.findings = findings
    case .expected(let result): expectation = result
    case .summary(let summary): outcomeLine = summary
    default: break
    }
  }

  private mutating func open(_ format: String, _ files: [StoreFile]) {
    formatName = format
    self.files = files.map(\.emptied)
  }

  /// How the store is; `nil` where the path could not be opened.
  var verdict: Verdict? { outcomeLine?.verdict }
  /// How it came out.
  var outcome: Outcome { outcomeLine.map { Outcome(exit: $0.exit) } ?? .notRun }
  /// Where it is not as expected.
  var differences: [Difference] { expectation?.differences ?? [] }
  /// Whether it is as expected, findings included.
  var isAsExpected: Bool { expectation?.isMet ?? false }

  /// The path of the file that a finding is about; of one about the store, that with the entries.
  func path(of finding: Finding) -> FilePath {
    files.path(of: finding) ?? FilePath(path)
  }

  /// The findings, one a line, as the text report has them.
  var findingLines: [String] {
    findings.map { FindingText.line($0, severity: $0.severity.rawValue, in: path(of: $0)) }
  }

  /// The store in a line: its verdict, how many entries it has, and how many findings of each severity.
  var summary: String {
    guard let outcomeLine else { return obstacle ?? "" }
    let counts = [Finding.Severity.damage, .warning, .note].compactMap { severity in
      let count = findings.count { $0.severity == severity }
      return count == 0 ? nil : "\(count) \(severity.rawValue)"
    }
    var parts = [
      outcomeLine.verdict.rawValue, Plural.count(outcomeLine.entries, "entry", "entries"),
    ]
    parts.append(
      counts.isEmpty ? "no findings" : "findings: " + counts.joined(separator: " + "))
    if !differences.isEmpty {
      parts.append(
        Plural.count(differences.count, "difference", "differences") + " from what was expected")
    }
    return parts.joined(separator: ", ")
  }
}

extension [CheckedStore] {
  /// Keeps what an event states about the store that was begun last.
  mutating func add(_ event: ReportEvent) {
    if case .begun(let path) = event { return append(CheckedStore(path: path)) }
    guard !isEmpty else { return }
    self[count - 1].add(event)
  }
}
