import KVConversion
import KVModel
import KVRecovery

// What a page is drawn from. Lines that the JSON report has too are those lines.

/// The stores of a page, and the run that made it.
struct PageOverview: Encodable {
  struct Run: Encodable {
    let version: String
    let arguments: [String]
    let start: Int

    init(_ run: ReportRun) {
      version = run.version
      arguments = run.arguments
      start = Int(run.start)
    }
  }

  let run: Run
  let totals: TotalsLine?
  let stores: [PageResult]
  let explanations: [PageExplanation]
}

/// A store in the overview.
struct PageResult: Encodable {
  let line: ResultLine
  let sentence: String
  /// Whether there is more about it.
  let page: Bool
}

/// What a name means.
struct PageExplanation: Encodable {
  let name: String
  let kind: String
  let paragraphs: [[String]]

  init(_ explanation: ReportRun.Explanation) {
    name = explanation.name
    kind = explanation.kind
    paragraphs = explanation.paragraphs.map { [$0.title, $0.text] }
  }
}

/// All that the page states about one store; records and bytes are in blocks of their own.
struct PageStoreData: Encodable {
  var store: StoreLine
  var summary: SummaryLine?
  var findings: [FindingLine] = []
  var states: [StateLine] = []
  var predictions: [PagePrediction] = []
  var coverage: CoverageLine?
  var files: [PageFile] = []
  var chunks: [PageRows.Index] = []
  /// The rules that records name by number.
  var rules: [String] = []
  var rowCount = 0
  /// How many records there was no room for.
  var omittedCount = 0
  /// How many records are in each state.
  var tally: [String: Int] = [:]
}

/// What the engine does, and which keys that costs.
struct PagePrediction: Encodable {
  /// So many lost keys are named.
  private static let keyLimit = 500

  let answer: String
  let callbacks: [String]
  let outcome: String
  let message: String
  let held: Int
  let keys: Int
  let lost: Int
  let unsupported: Int
  let writes: [String]
  let lostKeys: [String]

  init(_ prediction: EnginePrediction, isAppAsked: Bool) {
    answer = prediction.answer.rawValue
    callbacks = prediction.load.callbacks
    outcome = prediction.load.outcome.rawValue
    message = EngineForecast(prediction, isAppAsked: isAppAsked).text
    held = prediction.heldCount
    keys = prediction.keyCount
    lost = prediction.lostKeys.count
    unsupported = prediction.unsupportedCount
    writes = prediction.load.writes
    lostKeys = prediction.lostKeys.prefix(Self.keyLimit).map { DisplayText.key($0) }
  }
}

/// A file: the owners of its bytes, and which of its bytes are in the page.
struct PageFile: Encodable {
  struct Field: Encodable {
    let offset: Int
    let count: Int
    let owner: Int
    let name: String
    let meaning: String
  }

  struct Window: Encodable {
    let offset: Int
    let count: Int
    let id: String
  }

  let role: String
  let name: String
  let size: Int
  /// Counts and owners of bytes, one after the other.
  var runs: [Int] = []
  /// How many bytes the smallest run stands for.
  var grain = 1
  var fields: [Field] = []
  /// How many fields there was no room for.
  var omittedFields = 0
  /// The offsets of bytes that are read otherwise than they are stored.
  var corrected: [Int] = []
  var windows: [Window] = []
  /// Whether the bytes are shown decrypted.
  var decrypted = false
}
