import KVModel
import KVSystem
import SystemPackage

/// The expected content of a store: lines as `check --json` and `dump --json` print them.
///
/// What a line states is compared, except for places and texts for people. Findings, states and
/// entries are lists: if the file has one of them, it must have them all.
///
/// Reference: `Docs/CI.md` § What is compared.
package struct Expectations: Sendable {
  struct StoreLine: Sendable {
    let format: String?
    let isEncrypted: Bool?
    let version: Int?
  }

  struct FindingLine: Sendable {
    let code: String
    let severity: Finding.Severity?
  }

  struct StateLine: Sendable {
    let name: String
    let entries: Int?
    let evidence: String?
  }

  struct PredictionLine: Sendable {
    let strategy: String?
    let premise: String?
    let outcome: String?
    let callbacks: [String]?
    let keys: Int?
    let lost: Int?
    let unsupported: Int?
    let lostKeys: [Key]?
  }

  struct SummaryLine: Sendable {
    let verdict: String?
    let entries: Int?
    let findings: Int?
  }

  /// The lines of one report; a file may contain a report of `check` and one of `dump`.
  struct Section: Sendable {
    var store: StoreLine?
    var findings: [FindingLine] = []
    var states: [StateLine] = []
    var predictions: [PredictionLine] = []
    var entries: [ExpectedEntry] = []
    var summary: SummaryLine?

    var isEmpty: Bool {
      store == nil && findings.isEmpty && states.isEmpty && predictions.isEmpty && entries.isEmpty
        && summary == nil
    }
  }

  let sections: [Section]

  /// Whether the expectations cover the findings, so that an expected warning does not count.
  package var coverFindings: Bool {
    sections.contains { !$0.findings.isEmpty || $0.summary?.findings != nil }
  }

  /// Whether the expectations cover damage, so that expected damage does not count.
  package var coverDamage: Bool {
    coverFindings || sections.contains { $0.summary?.verdict != nil }
  }

  /// Parses the expectations in the file `bytes`.
  ///
  /// - Throws: The first error, with its place.
  package init(parsing bytes: [UInt8]) throws(ExpectationError) {
    var sections: [Section] = []
    var current = Section()
    var path: FilePath?
    var number = 0
    // Some editors begin a file with a byte order mark.
    let text = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes[...]
    for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      if line.allSatisfy({ [0x20, 0x09, 0x0d].contains($0) }) { continue }
      do throws(LineFault) {
        let line = try ExpectedLine(parsing: Array(line))
        if line.type == "store" {
          try Self.check(line, isOf: &path)
          if !current.isEmpty { sections.append(current) }
          current = Section()
        }
        try current.take(line)
      } catch {
        throw .line(number: number, offset: line.startIndex, reason: error.reason)
      }
    }
    if !current.isEmpty { sections.append(current) }
    guard !sections.isEmpty else { throw .nothing }
    self.sections = sections
  }

  /// Throws an error unless `line` has a known schema and is about the same store as the lines
  /// before.
  private static func check(
    _ line: ExpectedLine, isOf path: inout FilePath?
  ) throws(LineFault) {
    if let schema = try line.integer("schema"), schema != JSONObject.schema {
      throw LineFault(
        reason: "its schema is \(schema); this kvfsck reads schema \(JSONObject.schema)")
    }
    guard let text = try line.text("path") else { return }
    let new = FilePath(text).lexicallyNormalized()
    if let path, path != new {
      throw LineFault(
        reason: "it is about \(new), but the lines before it are about \(path); a file of "
          + "expectations must be about one store")
    }
    path = new
  }
}

extension Expectations.Section {
  /// Adds the content of `line`.
  fileprivate mutating func take(_ line: ExpectedLine) throws(LineFault) {
    switch line.type {
    case "store":
      store = .init(
        format: try line.text("format"), isEncrypted: try line.bool("encrypted"),
        version: try line.integer("version"))
    case "finding":
      let name = try line.text("severity")
      let severity = name.flatMap { Finding.Severity(rawValue: $0) }
      if let name, severity == nil {
        throw LineFault(
          reason: "severity must be note, warning or damage, not \(Value.quoted(name))")
      }
      findings.append(.init(code: try line.required("code"), severity: severity))
    case "state":
      let name = try line.required("name")
      if states.contains(where: { $0.name == name }) {
        throw LineFault(reason: "the state \(Value.quoted(name)) appears twice")
      }
      states.append(
        .init(
          name: name, entries: try line.integer("entries"), evidence: try line.text("evidence")))
    case "prediction":
      predictions.append(
        .init(
          strategy: try line.text("strategy"), premise: try line.text("premise"),
          outcome: try line.text("outcome"), callbacks: try line.texts("callbacks"),
          keys: try line.integer("keys"),
          lost: try line.integer("lost"), unsupported: try line.integer("unsupported"),
          lostKeys: try line.keys("lost_keys_hex")))
    case "entry":
      entries.append(try ExpectedEntry(line))
    case "summary":
      if summary != nil { throw LineFault(reason: "there are two lines of type summary") }
      summary = .init(
        verdict: try line.text("verdict"), entries: try line.integer("entries"),
        findings: try line.integer("findings"))
    default: break
    }
  }
}
