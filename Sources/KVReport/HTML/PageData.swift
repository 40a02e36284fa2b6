import KVConversion
import KVModel
import KVRecovery

// The data that a page is drawn from. Some lines are the same as in the JSON report.

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
  /// Whether the page has the details of the store.
  let page: Bool
}

/// The meaning of a name.
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

/// The page's data about one store; records and bytes are in separate blocks.
struct PageStoreData: Encodable {
  var store: StoreLine
  var summary: SummaryLine?
  var findings: [FindingLine] = []
  var states: [StateLine] = []
  var predictions: [PagePrediction] = []
  var coverage: CoverageLine?
  var files: [PageFile] = []
  var chunks: [PageRows.Index] = []
  /// The combinations of rules that records refer to by index.
  var rules: [String] = []
  var rowCount = 0
  /// The number of records that were left out for lack of room.
  var omittedCount = 0
  /// The number of bytes of the mapped files that were left out for lack of room.
  var omittedBytes = 0
  /// The number of records in each state, and of gaps.
  var tally: [String: Int] = [:]
  /// The kinds of the values, in the order of their appearance.
  var kinds: [String] = []
}

/// A prediction, and the keys that are lost.
struct PagePrediction: Encodable {
  /// The most lost keys that are named.
  private static let keyLimit = 500

  let answer: String
  let callbacks: [String]
  let outcome: String
  let message: String
  let held: Int
  let heldGuesses: Int
  let keys: Int
  let lost: Int
  let lostGuesses: Int
  let unsupported: Int
  let writes: [String]
  let lostKeys: [String]

  init(_ prediction: EnginePrediction, isAppAsked: Bool) {
    answer = prediction.answer.rawValue
    callbacks = prediction.load.callbacks
    outcome = prediction.load.outcome.rawValue
    message = EngineForecast(prediction, isAppAsked: isAppAsked).text
    held = prediction.held.entries
    heldGuesses = prediction.held.guesses
    keys = prediction.keyCount
    lost = prediction.lost.entries
    lostGuesses = prediction.lost.guesses
    unsupported = prediction.unsupportedCount
    writes = prediction.load.writes
    lostKeys = prediction.lostKeys.prefix(Self.keyLimit).map { DisplayText.key($0) }
  }
}

/// A file: the owners of its bytes, and the ranges of bytes that are in the page.
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
  /// Pairs of a byte count and an owner.
  var runs: [Int] = []
  /// The number of bytes in the smallest run.
  var grain = 1
  var fields: [Field] = []
  /// The number of fields that were left out for lack of room.
  var omittedFields = 0
  /// The offsets of bytes that are read with another value than the stored one.
  var corrected: [Int] = []
  var windows: [Window] = []
  /// Whether the bytes are shown decrypted.
  var decrypted = false
}
