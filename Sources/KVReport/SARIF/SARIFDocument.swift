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
  static let opening = "{\"$schema\":\"\(schema)\",\"runs\":[{"
  private static let schema = "https://json.schemastore.org/sarif-2.1.0.json"

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
    for (index, rule) in rules.enumerated() { indices[rule.code] = index }
    let suppressing = items.contains(where: \.isExpected)
    let driver: JSONObject = [
      "name": "kvfsck", "version": version, "semanticVersion": version,
      "rules": rules.map(\.json),
    ]
    let invocation: JSONObject = [
      // Status 8 and above mean that some of the work could not be done.
      "executionSuccessful": exit < 8, "exitCode": Int(exit),
      "toolExecutionNotifications": notifications,
    ]
    let run: JSONObject = [
      "tool": ["driver": driver] as JSONObject, "invocations": [invocation],
      "results": items.map {
        $0.json(ruleIndex: indices[$0.rule] ?? 0, suppressing: suppressing)
      },
    ]
    let log: JSONObject = ["$schema": Self.schema, "version": "2.1.0", "runs": [run]]
    return log.text + "\n"
  }

  /// Returns a text as SARIF has it.
  private static func message(_ text: String) -> JSONObject { ["text": text] }

  private static func location(_ path: FilePath, _ extent: Extent? = nil) -> JSONObject {
    let region: JSONObject = [
      // The line number that GitHub needs to show a result; a store has no lines.
      "startLine": 1, "byteOffset": extent?.offset, "byteLength": extent?.count,
    ]
    let artifact: JSONObject = ["uri": FileURI.text(path)]
    return ["physicalLocation": ["artifactLocation": artifact, "region": region] as JSONObject]
  }

  // MARK: Results

  /// The content of a result.
  private struct Item {
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

    func json(ruleIndex: Int, suppressing: Bool) -> JSONObject {
      let suppressions: [JSONObject] =
        isExpected
        ? [
          [
            "kind": "external", "status": "accepted",
            "justification": "listed in the expectations",
          ]
        ] : []
      return [
        "ruleId": rule, "ruleIndex": ruleIndex, "level": level,
        "message": SARIFDocument.message(TextReporter.printable(message)),
        "locations": [SARIFDocument.location(path, extent)],
        // The name that GitHub looks for; without it, GitHub derives one from the file's first
        // line.
        "partialFingerprints": ["primaryLocationLineHash": identity] as JSONObject,
        "properties": evidence.isEmpty
          ? nil : ["rules": evidence.map(\.text)] as JSONObject,
        // Either all results of a run have this list or none has.
        "suppressions": suppressing ? suppressions : nil,
      ]
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

  private var notifications: [JSONObject]? {
    let all = stores.compactMap { store in
      store.obstacle.map { obstacle -> JSONObject in
        [
          "level": "error", "message": Self.message(TextReporter.printable(obstacle)),
          "locations": [Self.location(FilePath(store.path))],
        ]
      }
    }
    return all.isEmpty ? nil : all
  }

  // MARK: Rules

  /// Returns a rule for each code, sorted by name, with the highest level that occurs.
  private func rules(of items: [Item]) -> [(code: String, json: JSONObject)] {
    var worst: [String: Item] = [:]
    for item in items where worst[item.rule].map({ $0.severity < item.severity }) ?? true {
      worst[item.rule] = item
    }
    return worst.sorted { $0.key < $1.key }.map { code, item in
      let json: JSONObject = [
        "id": code, "shortDescription": Self.message(Self.title(of: code)),
        "fullDescription": item.kind.map { Self.message($0.meaning + ".") },
        "help": Self.message(Self.help(on: item)),
        "defaultConfiguration": ["level": item.level] as JSONObject,
      ]
      return (code, json)
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
