import KVBytes
import KVCryptography
import KVModel
import KVSystem
import SystemPackage

// The lines of a JSON report. Each is written once, with the fields of `Docs/JSON.md`.

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
      self.file = file.role.name
      path = file.path.text
      pathHex = file.path.isUTF8 ? nil : Hexadecimal.text(file.path.bytes)
      size = file.image.count
      sha256 = Cryptography.sha256(file.image.bytes).map { Hexadecimal.text($0) }
    }
  }

  let type = "store"
  let schema: Int
  let path: String
  let format: String
  let files: [File]
  let encrypted: Bool
  let version: Int
}

struct FindingLine: Encodable {
  let type = "finding"
  let code: String
  let severity: String
  let file: String?
  let offset: Int?
  let length: Int?
  let message: String
  let oddsBits: Int?

  enum CodingKeys: String, CodingKey {
    case type, code, severity, file, offset, length, message
    case oddsBits = "odds_bits"
  }

  init(_ finding: Finding) {
    code = finding.code
    severity = finding.severity.rawValue
    file = finding.extent?.file.name
    offset = finding.extent?.offset
    length = finding.extent?.count
    message = finding.message
    oddsBits = finding.odds?.bits
  }
}

struct StateLine: Encodable {
  let type = "state"
  let name: String
  let entries: Int
  let evidence: String
  let message: String
  let rules: [String]
}

struct PredictionLine: Encodable {
  let type = "prediction"
  let strategy: String
  let callbacks: [String]
  let outcome: String
  let keys: Int
  let lost: Int
  let unsupported: Int
  let lostKeysHex: [String]
  let writes: [String]
  let message: String

  enum CodingKeys: String, CodingKey {
    case type, strategy, callbacks, outcome, keys, lost, unsupported, writes, message
    case lostKeysHex = "lost_keys_hex"
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
}

struct DecisionLine: Encodable {
  let type = "decision"
  let question: String
  let answer: String
  let reason: String
  let state: String
  let origin: String
}

struct GapLine: Encodable {
  let type = "gap"
  let file: String
  let offset: Int
  let length: Int
  let cause: String
}

struct RegionLine: Encodable {
  let type = "region"
  let file: String
  let offset: Int
  let length: Int
  let owner: String
  let meaning: String?
}

struct WrittenLine: Encodable {
  let type = "written"
  let path: String
  let size: Int
  let sha256: String?
}

struct BackupLine: Encodable {
  let type = "backup"
  let path: String
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
  let findings: Int
  let exit: Int
  let cautioned: Int?
}

struct NoteLine: Encodable {
  let type = "finding"
  let code: String
  let severity: String
  let key: String?
  let keyHex: String
  let file: String?
  let offset: Int?
  let length: Int?
  let message: String

  enum CodingKeys: String, CodingKey {
    case type, code, severity, key, file, offset, length, message
    case keyHex = "key_hex"
  }
}

struct ConversionLine: Encodable {
  let type = "conversion"
  let to: String
  let paths: [String]?
  let written: Int
  let leftOut: Int
  let losses: Int
  let notes: Int
  let exit: Int

  enum CodingKeys: String, CodingKey {
    case type, to, paths, written, losses, notes, exit
    case leftOut = "left_out"
  }
}
