import KVModel
import KVSystem
import SystemPackage

/// A document in SARIF 2.1.0, for code scanning: one run, with a result for each finding.
///
/// A path that could not be opened, and a difference from the expectations, are also results, with
/// the rules ``notOpened`` and ``unexpected``.
struct SARIFDocument {
  /// The rule for a path that could not be opened.
  private static let notOpened = "kvfsck.not-opened"
  /// The rule for a difference from the expectations.
  private static let unexpected = "kvfsck.unexpected"

  /// The start of every document.
  static let opening = "{\"$schema\":\"\(SARIFLog.schema)\",\"runs\":[{"

  let stores: [CheckedStore]
  /// The version of the tool.
  let version: String
  /// The status that the run ends with.
  let exit: Int32

  /// The document.
  var text: String {
    let items = stores.flatMap { self.items($0) }
    let rules = self.rules(of: items)
    var indices: [String: Int] = [:]
    for (index, rule) in rules.enumerated() { indices[rule.id] = index }
    let suppressing = items.contains(where: \.isExpected)
    let run = SARIFRun(
      tool: .init(
        driver: .init(version: version, semanticVersion: version, rules: rules)),
      invocations: [
        .init(
          // Status 8 and above mean that some of the work could not be done.
          executionSuccessful: exit < 8, exitCode: Int(exit),
          toolExecutionNotifications: notifications)
      ],
      results: items.map {
        $0.result(ruleIndex: indices[$0.rule] ?? 0, suppressing: suppressing)
      })
    return LineEncoder().text(SARIFLog(runs: [run])) + "\n"
  }

  // MARK: Results

  /// The content of a result.
  private struct Item {
    typealias Suppression = SARIFResult.Suppression

    let rule: String
    /// The kind of finding; `nil` for what is no finding.
    var kind: FindingCode?
    let severity: Finding.Severity
    let message: String
    let path: FilePath
    let extent: Extent?
    /// The evidence rules that the finding follows from.
    var evidence: [RuleID] = []
    /// What distinguishes it from others with its rule in the same file, in every run.
    let identity: String
    /// Whether the expectations cover it.
    let isExpected: Bool

    var level: String { severity == .damage ? "error" : severity.rawValue }

    var location: SARIFLocation {
      SARIFLocation(uri: FileURI.text(path), offset: extent?.offset, length: extent?.count)
    }

    func result(ruleIndex: Int, suppressing: Bool) -> SARIFResult {
      let suppressions =
        isExpected ? [Suppression(justification: "listed in the expectations")] : []
      return SARIFResult(
        ruleId: rule, ruleIndex: ruleIndex, level: level,
        message: SARIFText(text: TextReporter.printable(message)), locations: [location],
        // The name that GitHub looks for; without it, GitHub derives one from the file's first
        // line.
        partialFingerprints: ["primaryLocationLineHash": identity],
        properties: evidence.isEmpty ? nil : .init(rules: evidence.map(\.text)),
        suppressions: suppressing ? suppressions : nil)
    }
  }

  private func items(_ store: CheckedStore) -> [Item] {
    let path = store.files.first?.path ?? FilePath(store.path)
    if let obstacle = store.obstacle {
      return [
        Item(
          rule: Self.notOpened, severity: .damage, message: obstacle, path: path,
          extent: nil, identity: Self.notOpened, isExpected: false)
      ]
    }
    let differences = store.differences.map { difference in
      Item(
        rule: Self.unexpected, severity: .damage, message: difference.message, path: path,
        extent: nil, identity: "\(Self.unexpected):\(difference.identity)",
        isExpected: false
      )
    }
    var counts: [String: Int] = [:]
    let findings = store.findings.map { finding in
      let identity = identity(of: finding, in: store)
      let count = counts[identity, default: 0] + 1
      counts[identity] = count
      return Item(
        rule: finding.code, kind: finding.kind, severity: finding.severity,
        message: finding.message, path: store.path(of: finding), extent: finding.extent,
        evidence: finding.rules,
        identity: count == 1 ? identity : "\(identity):\(count)", isExpected: store.isAsExpected)
    }
    return differences + findings
  }

  /// Returns what distinguishes a finding from others of the same store in every run, as long as
  /// the file keeps its name: a code, a file and an offset.
  private func identity(of finding: Finding, in store: CheckedStore) -> String {
    guard let file = finding.file else { return "\(finding.code):" }
    // Among files with the same role, names last longer than numbers.
    let isAlone = finding.path == nil && store.files.count { $0.role == file.role } < 2
    let name = isAlone ? nil : store.path(of: finding).lastComponent?.string
    let offset = finding.extent.map { "\($0.offset)" }
    return [finding.code, store.files.roleNames[file.role], name, offset].compactMap(\.self)
      .joined(separator: ":")
  }

  private var notifications: [SARIFRun.Notification]? {
    let all = stores.compactMap { store in
      store.obstacle.map { obstacle in
        SARIFRun.Notification(
          level: "error", message: SARIFText(text: TextReporter.printable(obstacle)),
          locations: [SARIFLocation(uri: FileURI.text(FilePath(store.path)))])
      }
    }
    return all.isEmpty ? nil : all
  }

  // MARK: Rules

  /// Returns a rule for each code, sorted by name, with the highest level that occurs.
  private func rules(of items: [Item]) -> [SARIFRule] {
    var worst: [String: Item] = [:]
    for item in items where worst[item.rule].map({ $0.severity < item.severity }) ?? true {
      worst[item.rule] = item
    }
    return worst.sorted { $0.key < $1.key }.map { code, item in
      SARIFRule(
        id: code, shortDescription: SARIFText(text: Self.title(of: code)),
        fullDescription: item.kind.map { SARIFText(text: $0.meaning + ".") },
        help: SARIFText(text: Self.help(on: item)),
        defaultConfiguration: .init(level: item.level))
    }
  }

  /// Returns the code in words: "mmkv: checksum mismatch".
  private static func title(of code: String) -> String {
    let parts = code.split(separator: ".", maxSplits: 1)
    let words = parts.last.map { $0.split(separator: "-").joined(separator: " ") } ?? ""
    return parts.count == 2 ? "\(parts[0]): \(words)" : words
  }

  private static func help(on item: Item) -> String {
    if let kind = item.kind {
      return kind.paragraphs.map { "\($0): \($1)." }.joined(separator: "\n")
    }
    return item.rule == notOpened
      ? "The path could not be opened. The message says why and what to do next."
      : "The store differs from the expectations file; see Docs/CI.md of kvfsck."
  }
}

extension Difference {
  /// What stays the same in every run for the same difference.
  fileprivate var identity: String {
    [line, keyHex ?? subject, field ?? "", change.rawValue].joined(separator: ":")
  }
}
