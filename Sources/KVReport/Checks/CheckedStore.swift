public import KVModel
public import KVRecovery
public import SystemPackage

/// What `check` found out about one path: what the reports for continuous integration are made of.
///
/// It holds no bytes of the files, so that what was found about many stores can be kept.
public struct CheckedStore: Sendable {
  /// One of the store's files.
  public struct File: Hashable, Sendable {
    /// What it is for.
    public let role: FileRole
    /// Where it was read from.
    public let path: FilePath
  }

  /// How it came out.
  public enum Outcome: Hashable, Sendable {
    /// Nothing speaks against the store.
    case passed
    /// It is not as it should be.
    case failed
    /// It could not be read.
    case notRun
  }

  /// The path, as it was given.
  public let path: String
  /// The name of the format; nothing where the path could not be opened.
  public let formatName: String?
  /// The files, the one with the entries first.
  public let files: [File]
  /// How the store is; nothing where the path could not be opened.
  public let verdict: Verdict?
  /// How many entries it holds.
  public let entryCount: Int
  /// What was found in it.
  public let findings: [Finding]
  /// Where it is not as was expected.
  public let differences: [Difference]
  /// Whether it is as was expected, findings included.
  public let isAsExpected: Bool
  /// Why the path could not be opened.
  public let obstacle: String?
  /// How it came out.
  public let outcome: Outcome

  /// A store that was opened, its records readable or not.
  public init(
    path: String, formatName: String, files: [StoreFile], verdict: Verdict, entryCount: Int,
    findings: [Finding], differences: [Difference] = [], isAsExpected: Bool = false,
    outcome: Outcome
  ) {
    self.path = path
    self.formatName = formatName
    self.files = files.map { File(role: $0.role, path: $0.path) }
    self.verdict = verdict
    self.entryCount = entryCount
    self.findings = findings
    self.differences = differences
    self.isAsExpected = isAsExpected
    obstacle = nil
    self.outcome = outcome
  }

  /// A path that could not be opened, and why.
  public init(path: String, obstacle: String) {
    self.path = path
    formatName = nil
    files = []
    verdict = nil
    entryCount = 0
    findings = []
    differences = []
    isAsExpected = false
    self.obstacle = obstacle
    outcome = .notRun
  }

  /// The file that a finding is about: that of its bytes, else the one with the entries.
  func path(of finding: Finding) -> FilePath {
    let file = files.first { $0.role == finding.extent?.file } ?? files.first
    return file?.path ?? FilePath(path)
  }

  /// The findings, one a line, as the text report has them.
  var findingLines: [String] {
    findings.map { FindingText.line($0, severity: $0.severity.rawValue, in: path(of: $0)) }
  }

  /// The store in a line: its verdict, how many entries it has, and how many findings of each severity.
  var summary: String {
    guard let verdict else { return obstacle ?? "" }
    let counts = [Finding.Severity.damage, .warning, .note].compactMap { severity in
      let count = findings.count { $0.severity == severity }
      return count == 0 ? nil : "\(count) \(severity.rawValue)"
    }
    var parts = [verdict.rawValue, Plural.count(entryCount, "entry", "entries")]
    parts.append(
      counts.isEmpty ? "no findings" : "findings: " + counts.joined(separator: " + "))
    if !differences.isEmpty {
      parts.append(
        Plural.count(differences.count, "difference", "differences") + " from what was expected")
    }
    return parts.joined(separator: ", ")
  }
}
