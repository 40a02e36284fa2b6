import KVModel
import KVRecovery
import SystemPackage

/// The results of `check` for one path, from which CI documents are made.
///
/// It holds no bytes of the files, so the results of many stores fit in memory.
struct CheckedStore {
  /// The outcome of a check, as CI services classify it.
  enum Outcome {
    /// Nothing is wrong with the store.
    case passed
    /// The store is not as it should be.
    case failed
    /// The store could not be read.
    case notRun

    /// Creates the outcome from the exit status of a single store.
    init(exit: Int32) { self = exit & 8 != 0 ? .notRun : exit == 0 ? .passed : .failed }
  }

  /// The path, as the user gave it.
  let path: String
  /// The name of the format; `nil` if the path could not be opened.
  private(set) var formatName: String?
  /// The files without their bytes, the one with the entries first.
  private(set) var files: [StoreFile] = []
  /// The findings about the store.
  private(set) var findings: [Finding] = []
  /// How the store compares with the expectations.
  private(set) var expectation: ExpectationResult?
  /// The reason why the path could not be opened.
  private(set) var obstacle: String?
  private var outcomeLine: ReportSummary?

  init(path: String) { self.path = path }

  /// Keeps what an event reports.
  mutating func add(_ event: ReportEvent) {
    switch event {
    case .failed(_, let reason): obstacle = reason
    case .opened(let store, _): open(store.formatName, store.files)
    case .read(let table, _): open(table.formatName, table.files)
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

  /// The verdict on the store; `nil` if the path could not be opened.
  var verdict: Verdict? { outcomeLine?.verdict }
  /// The outcome of the check.
  var outcome: Outcome { outcomeLine.map { Outcome(exit: $0.exit) } ?? .notRun }
  /// The differences from the expectations.
  var differences: [Difference] { expectation?.differences ?? [] }
  /// Whether the store is as expected, including its findings.
  var isAsExpected: Bool { expectation?.isMet ?? false }

  /// Returns the path of the file that a finding is about; for a finding about the store, that of
  /// the file with the entries.
  func path(of finding: Finding) -> FilePath {
    files.path(of: finding) ?? FilePath(path)
  }

  /// The findings, one per line, as in the text report.
  var findingLines: [String] {
    findings.map { FindingText.line($0, severity: $0.severity.rawValue, in: path(of: $0)) }
  }

  /// A summary in one line: the verdict, the number of entries, and the number of findings of each
  /// severity.
  var summary: String {
    guard let outcomeLine else { return obstacle ?? "" }
    let counts = [Finding.Severity.damage, .warning, .note].compactMap { severity in
      let count = findings.count { $0.severity == severity }
      return count == 0 ? nil : "\(count) \(severity.rawValue)"
    }
    var parts = [
      outcomeLine.isEmptied ? "emptied" : outcomeLine.verdict.rawValue, outcomeLine.entries.words,
    ]
    parts.append(
      counts.isEmpty ? "no findings" : "findings: " + counts.joined(separator: " + "))
    if !differences.isEmpty {
      parts.append(
        Plural.count(differences.count, "difference", "differences") + " from the expectations")
    }
    return parts.joined(separator: ", ")
  }
}
