// The objects of a SARIF log, with the properties that these reports use.
//
// Reference: SARIF 2.1.0, § 3.13 to § 3.58.

struct SARIFLog: Encodable {
  static let schema = "https://json.schemastore.org/sarif-2.1.0.json"

  let schema = SARIFLog.schema
  let version = "2.1.0"
  let runs: [SARIFRun]

  enum CodingKeys: String, CodingKey {
    case version, runs
    case schema = "$schema"
  }
}

struct SARIFRun: Encodable {
  struct Tool: Encodable {
    let driver: Driver
  }

  struct Driver: Encodable {
    let name = "kvfsck"
    let version: String
    let semanticVersion: String
    let rules: [SARIFRule]
  }

  struct Invocation: Encodable {
    let executionSuccessful: Bool
    let exitCode: Int
    let toolExecutionNotifications: [Notification]?
  }

  struct Notification: Encodable {
    let level: String
    let message: SARIFText
    let locations: [SARIFLocation]
  }

  let tool: Tool
  let invocations: [Invocation]
  let results: [SARIFResult]
}

struct SARIFText: Encodable {
  let text: String
}

struct SARIFRule: Encodable {
  struct Configuration: Encodable {
    let level: String
  }

  let id: String
  let shortDescription: SARIFText
  /// What the rule is about, for people; `nil` if the help says everything.
  let fullDescription: SARIFText?
  let help: SARIFText
  let defaultConfiguration: Configuration
}

struct SARIFResult: Encodable {
  struct Suppression: Encodable {
    let kind = "external"
    let status = "accepted"
    let justification: String
  }

  struct Properties: Encodable {
    /// The evidence rules that the finding follows from.
    let rules: [String]
  }

  let ruleId: String
  let ruleIndex: Int
  let level: String
  let message: SARIFText
  let locations: [SARIFLocation]
  let partialFingerprints: [String: String]
  let properties: Properties?
  /// The reason why nobody needs to look at the result; either all results of a run have this list
  /// or none has.
  let suppressions: [Suppression]?
}

struct SARIFLocation: Encodable {
  struct Physical: Encodable {
    let artifactLocation: Artifact
    let region: Region
  }

  struct Artifact: Encodable {
    let uri: String
  }

  struct Region: Encodable {
    /// The line number that GitHub needs to show a result; a store has no lines.
    let startLine = 1
    let byteOffset: Int?
    let byteLength: Int?
  }

  let physicalLocation: Physical

  init(uri: String, offset: Int? = nil, length: Int? = nil) {
    physicalLocation = Physical(
      artifactLocation: Artifact(uri: uri), region: Region(byteOffset: offset, byteLength: length))
  }
}
