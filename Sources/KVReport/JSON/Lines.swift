import KVBytes
import KVConversion
import KVCryptography
import KVModel
import KVRecovery
import KVSystem
import SystemPackage

// The lines of a JSON report, each with the fields of `Docs/JSON.md`.

struct StoreLine: Encodable {
  struct File: Encodable {
    let file: String
    let path: String
    /// The bytes of a path that is not UTF-8.
    let pathHex: String?
    let size: Int
    let sha256: String?

    enum CodingKeys: String, CodingKey {
      case file, path, size, sha256
      case pathHex = "path_hex"
    }

    init(_ file: StoreFile) {
      self.file = file.roleName
      path = file.path.text
      pathHex = file.path.isUTF8 ? nil : Hexadecimal.text(file.path.shownBytes)
      size = file.foundImage.count
      sha256 = file.sha256
    }
  }

  let type = "store"
  let schema = JSONLinesReporter.schema
  let path: String
  let format: String
  let files: [File]
  let encrypted: Bool
  let version: Int

  init(_ store: some Store) {
    path = store.files.first?.path.text ?? ""
    format = store.formatName
    files = store.files.map(File.init)
    encrypted = store.isEncrypted
    version = store.version
  }

  init(_ table: EntryTable) {
    path = table.files.first?.path.text ?? ""
    format = table.formatName
    files = table.files.map(File.init)
    encrypted = false
    version = 0
  }
}

struct FindingLine: Encodable {
  let type = "finding"
  let code: String
  let severity: String
  let file: String?
  let path: String?
  let offset: Int?
  let length: Int?
  let message: String
  let rules: [String]?
  let oddsBits: Int?

  enum CodingKeys: String, CodingKey {
    case type, code, severity, file, path, offset, length, message, rules
    case oddsBits = "odds_bits"
  }

  init(_ finding: Finding, of files: RoleNames, path: String?) {
    code = finding.code
    severity = finding.severity.rawValue
    file = finding.file.map { files[$0.role] }
    self.path = path
    offset = finding.extent?.offset
    length = finding.extent?.count
    message = finding.message
    rules = finding.rules.isEmpty ? nil : finding.rules.map(\.text)
    oddsBits = finding.odds?.bits
  }
}

struct StateLine: Encodable {
  let type = "state"
  let name: String
  let entries: Int
  let guesses: Int?
  let evidence: String
  let message: String
  let rules: [String]

  init(_ state: StoreState) {
    name = state.name.rawValue
    entries = state.entries.entries
    guesses = state.entries.guessesIfAny
    evidence = state.weakestEvidence.rawValue
    message = state.message
    rules = state.rules.map(\.text)
  }

  /// Creates the line of a version of a file without a log.
  init(_ version: EntryVersion) {
    name = version.name
    let count = EntryCount(version.entries.lazy.map(\.origin.evidence))
    entries = count.entries
    guesses = count.guessesIfAny
    evidence = Evidence.structure.rawValue
    message =
      "the contents of \(version.path.text)" + (version.isWhole ? "" : ", which is damaged")
    rules = []
  }
}

struct PredictionLine: Encodable {
  let type = "prediction"
  let strategy: String
  let callbacks: [String]
  let outcome: String
  let keys: Int
  let lost: Int
  let lostGuesses: Int?
  let unsupported: Int
  let expired: Int?
  let lostKeysHex: [String]
  let writes: [String]
  let message: String

  enum CodingKeys: String, CodingKey {
    case type, strategy, callbacks, outcome, keys, lost, unsupported, expired, writes, message
    case lostKeysHex = "lost_keys_hex"
    case lostGuesses = "lost_guesses"
  }

  init(_ prediction: EnginePrediction, isAppAsked: Bool) {
    strategy = prediction.answer.rawValue
    callbacks = prediction.load.callbacks
    outcome = prediction.load.outcome.rawValue
    keys = prediction.keyCount
    lost = prediction.lostKeys.count
    lostGuesses = prediction.lost.guessesIfAny
    unsupported = prediction.unsupportedCount
    expired = prediction.expiredCount == 0 ? nil : prediction.expiredCount
    lostKeysHex = prediction.lostKeys.map { Hexadecimal.text($0.bytes) }
    writes = prediction.load.writes
    message = EngineForecast(prediction, isAppAsked: isAppAsked).text
  }
}

struct CoverageLine: Encodable {
  let type = "coverage"
  let live: Int
  let superseded: Int
  let removed: Int
  let lost: Int
  let slack: Int
  let copies: Int
  let structure: Int
  let total: Int

  init(_ tally: ByteTally) {
    live = tally.live
    superseded = tally.superseded
    removed = tally.removed
    lost = tally.lost
    slack = tally.slack
    copies = tally.copies
    structure = tally.structure
    total = tally.total
  }
}

struct DecisionLine: Encodable {
  let type = "decision"
  let question: String
  let answer: String
  let reason: String
  let state: String
  let origin: String

  init(_ decision: RepairPlan.Decision, of plan: RepairPlan) {
    question = decision.question
    answer = decision.answer.rawValue
    reason = decision.reason
    state = plan.state.rawValue
    origin = plan.origin
  }
}

struct GapLine: Encodable {
  let type = "gap"
  let file: String
  let offset: Int
  let length: Int
  let cause: String
  let rawHex: String?
  let text: String?
  let leftOut: Int?

  enum CodingKeys: String, CodingKey {
    case type, file, offset, length, cause, text
    case rawHex = "raw_hex"
    case leftOut = "left_out"
  }

  init(_ gap: Gap, of files: RoleNames, _ remains: Remains?) {
    file = files[gap.extent.file]
    offset = gap.extent.offset
    length = gap.extent.count
    cause = gap.cause.code
    rawHex = remains.map { Hexadecimal.text($0.bytes) }
    let text = remains?.text ?? ""
    self.text = text.isEmpty ? nil : text
    leftOut = remains.flatMap { $0.leftOutCount > 0 ? $0.leftOutCount : nil }
  }
}

struct OrderLine: Encodable {
  struct File: Encodable {
    let path: String
    let size: Int
  }

  let type = "order"
  let cipher: String
  let files: [File]
  let backup: String?

  init(_ order: RepairOrder) {
    cipher =
      switch order.cipher {
      case .keep: "keep"
      case .plain: "plain"
      case .rekey(_, let isAES256): isAES256 ? "aes256" : "aes128"
      }
    files = zip(order.paths, order.files).map { File(path: $0.text, size: $1.bytes.count) }
    backup = order.backup?.folder.text
  }
}

struct WrittenLine: Encodable {
  let type = "written"
  let path: String
  let size: Int
  let sha256: String?

  init(_ path: FilePath, _ file: EncodedFile) {
    self.path = path.text
    size = file.bytes.count
    sha256 = Cryptography.sha256(file.bytes).map { Hexadecimal.text($0) }
  }
}

struct BackupLine: Encodable {
  let type = "backup"
  let path: String
}

struct RepairTotalsLine: Encodable {
  let type = "totals"
  let path: String
  let stores: Int
  let repaired: Int
  let repairedInPart: Int
  let restored: Int
  let clean: Int
  let emptied: Int
  let leftOut: Int
  let failed: Int
  let filesWithoutLog: Int

  enum CodingKeys: String, CodingKey {
    case type, path, stores, repaired, restored, clean, emptied, failed
    case repairedInPart = "repaired_in_part"
    case leftOut = "left_out"
    case filesWithoutLog = "files_without_log"
  }

  init(_ totals: RepairTotals, in folder: FilePath) {
    path = folder.text
    stores = totals.stores
    repaired = totals[.repaired]
    repairedInPart = totals[.partly]
    restored = totals[.restored]
    clean = totals[.clean]
    emptied = totals[.emptied]
    leftOut = totals[.leftOut]
    failed = totals.failures
    filesWithoutLog = totals.logless
  }
}

struct FailureLine: Encodable {
  let type = "failure"
  let path: String
  let message: String
}

struct SummaryLine: Encodable {
  let type = "summary"
  let verdict: String
  let entries: Int
  let guesses: Int?
  let findings: Int
  let recoverable: Int
  let recoverableGuesses: Int?
  let superseded: Int?
  let removed: Int?
  let residual: Int?
  let residualBytes: Int?
  let exit: Int
  let cautioned: Int?

  enum CodingKeys: String, CodingKey {
    case type, verdict, entries, guesses, findings, recoverable, superseded, removed, residual, exit
    case cautioned
    case recoverableGuesses = "recoverable_guesses"
    case residualBytes = "residual_bytes"
  }

  init(_ summary: ReportSummary) {
    verdict = summary.verdict.rawValue
    entries = summary.entries.entries
    guesses = summary.entries.guessesIfAny
    findings = summary.findings
    recoverable = summary.recoverable.entries
    recoverableGuesses = summary.recoverable.guessesIfAny
    superseded = summary.past?.superseded
    removed = summary.past?.removed
    residual = summary.past?.residual
    residualBytes = summary.past?.residualBytes
    exit = Int(summary.exit)
    cautioned = summary.cautioned == 0 ? nil : summary.cautioned
  }
}

struct ConversionLine: Encodable {
  let type = "conversion"
  let to: String
  let path: String?
  let stores: [String]?
  let paths: [String]?
  let written: Int
  let leftOut: Int
  let losses: Int
  let notes: Int
  let likely: Int
  let undecided: Int
  let exit: Int

  enum CodingKeys: String, CodingKey {
    case type, to, path, stores, paths, written, losses, notes, likely, undecided, exit
    case leftOut = "left_out"
  }

  init(_ summary: Conversion.Summary, to format: String, paths: [FilePath]?, exit: Int32) {
    to = format
    let isMerged = summary.stores.count > 1
    path = isMerged ? summary.stores[0].text : nil
    stores = isMerged ? summary.stores.map(\.text) : nil
    self.paths = paths?.map(\.text)
    written = summary.written
    leftOut = summary.leftOut
    losses = summary.losses
    notes = summary.notes
    likely = summary.likely
    undecided = summary.undecided
    self.exit = Int(exit)
  }
}

extension StoreFile {
  /// The SHA-256 of the file; `nil` in a build without it.
  var sha256: String? {
    Cryptography.sha256(foundImage.bytes).map { Hexadecimal.text($0) }
  }
}

extension EntryCount {
  /// The number of guesses; `nil`, so that there is no such field, if there are none.
  var guessesIfAny: Int? { guesses == 0 ? nil : guesses }
}
