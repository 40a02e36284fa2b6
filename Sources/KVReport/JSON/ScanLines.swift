import KVBytes
import KVModel
import KVRecovery
import KVSystem

/// What a scan reports about one store, on one line.
struct ResultLine: Encodable {
  let type = "result"
  let path: String
  /// The bytes of a path that is not UTF-8.
  let pathHex: String?
  let format: String?
  let verdict: String?
  let entries: Int
  let lostAtNextLaunch: Int?
  let recoverable: Int
  let findings: [String]
  let error: String?

  init(_ outcome: StoreOutcome) {
    path = outcome.path.text
    pathHex = outcome.path.isUTF8 ? nil : Hexadecimal.text(outcome.path.shownBytes)
    format = outcome.formatName
    verdict = outcome.verdict?.rawValue
    entries = outcome.entryCount
    lostAtNextLaunch = outcome.lostCount
    recoverable = outcome.recoverableCount
    findings = outcome.codes
    error = outcome.error
  }

  private enum CodingKeys: String, CodingKey {
    case type, path, format, verdict, entries, recoverable, findings, error
    case pathHex = "path_hex"
    case lostAtNextLaunch = "lost_at_next_launch"
  }

  func encode(to encoder: any Encoder) throws {
    var line = encoder.container(keyedBy: CodingKeys.self)
    try line.encode(type, forKey: .type)
    try line.encode(path, forKey: .path)
    try line.encodeIfPresent(pathHex, forKey: .pathHex)
    try line.encode(format, forKey: .format)
    try line.encode(verdict, forKey: .verdict)
    try line.encode(entries, forKey: .entries)
    try line.encode(lostAtNextLaunch, forKey: .lostAtNextLaunch)
    try line.encode(recoverable, forKey: .recoverable)
    try line.encode(findings, forKey: .findings)
    try line.encodeIfPresent(error, forKey: .error)
  }
}

/// What all stores of a scan come to: its last line.
struct TotalsLine: Encodable {
  let type = "totals"
  let schema = JSONLinesReporter.schema
  let stores: Int
  let failures: Int
  let entries: Int
  let lostAtNextLaunch: Int
  let recoverable: Int
  let verdicts: [String: Int]
  let formats: [String: Int]
  let findings: [String: Int]

  init(_ totals: ScanTotals) {
    stores = totals.storeCount
    failures = totals.failureCount
    entries = totals.entryCount
    lostAtNextLaunch = totals.lostCount
    recoverable = totals.recoverableCount
    verdicts = Dictionary(uniqueKeysWithValues: totals.verdicts.map { ($0.rawValue, $1) })
    formats = totals.formats
    findings = totals.codes
  }

  private enum CodingKeys: String, CodingKey {
    case type, schema, stores, failures, entries, recoverable, verdicts, formats, findings
    case lostAtNextLaunch = "lost_at_next_launch"
  }
}
