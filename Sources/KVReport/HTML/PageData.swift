import KVConversion
import KVModel
import KVRecovery

// The data that a page is drawn from. Some objects are the same as in the JSON report.

extension JSONObject {
  /// Returns the run that made a page.
  static func run(_ run: ReportRun) -> JSONObject {
    ["version": run.version, "arguments": run.arguments, "start": Int(run.start)]
  }

  /// Returns the meaning of a name.
  static func explanation(_ explanation: ReportRun.Explanation) -> JSONObject {
    [
      "name": explanation.name, "kind": explanation.kind,
      "paragraphs": explanation.paragraphs.map { [$0.title, $0.text] },
    ]
  }

  /// The most lost keys that are named.
  private static let lostKeyLimit = 500

  /// Returns a prediction for a page, with the keys that are lost.
  static func page(_ prediction: EnginePrediction, isAppAsked: Bool) -> JSONObject {
    [
      "answer": prediction.answer.rawValue, "callbacks": prediction.load.callbacks,
      "outcome": prediction.load.outcome.rawValue,
      "message": EngineForecast(prediction, isAppAsked: isAppAsked).text,
      "held": prediction.held.entries, "heldGuesses": prediction.held.guesses,
      "keys": prediction.keyCount, "lost": prediction.lost.entries,
      "lostGuesses": prediction.lost.guesses, "unsupported": prediction.unsupportedCount,
      "writes": prediction.load.writes,
      "lostKeys": prediction.lostKeys.prefix(lostKeyLimit).map { DisplayText.key($0) },
    ]
  }
}

/// The page's data about one store; records and bytes are in separate blocks.
struct PageStoreData {
  /// The objects that are the same as in the JSON report.
  var store: JSONObject
  var summary: JSONObject?
  var findings: [JSONObject] = []
  var states: [JSONObject] = []
  var coverage: JSONObject?
  var predictions: [JSONObject] = []
  var files: [PageFile] = []
  var chunks: [PageRows.Index] = []
  /// The combinations of rules that records refer to by index.
  var rules: [String] = []
  var rowCount = 0
  /// The number of records that were left out for lack of room.
  var omittedCount = 0
  /// The number of bytes of the mapped files that were left out for lack of room.
  var omittedBytes = 0
  /// The number of records in each state, and of gaps; there are few, so that none is hashed.
  var tally: [(key: String, value: Int)] = []
  /// The kinds of the values, in the order of their appearance.
  var kinds: [String] = []

  var json: JSONObject {
    [
      "store": store, "summary": summary, "findings": findings, "states": states,
      "predictions": predictions, "coverage": coverage, "files": files.map(\.json),
      "chunks": chunks.map(\.json), "rules": rules, "rowCount": rowCount,
      "omittedCount": omittedCount, "omittedBytes": omittedBytes,
      "tally": JSONObject(tally), "kinds": kinds,
    ]
  }
}

/// A file: the owners of its bytes, and the ranges of bytes that are in the page.
struct PageFile {
  let role: String
  let name: String
  let size: Int
  /// Pairs of a byte count and an owner.
  var runs: [Int] = []
  /// The number of bytes in the smallest run.
  var grain = 1
  var fields: [JSONObject] = []
  /// The number of fields that were left out for lack of room.
  var omittedFields = 0
  /// The offsets of bytes that are read with another value than the stored one.
  var corrected: [Int] = []
  /// The ranges of bytes, each with the name of its block.
  var windows: [JSONObject] = []
  /// Whether the bytes are shown decrypted.
  var decrypted = false

  var json: JSONObject {
    [
      "role": role, "name": name, "size": size, "runs": runs, "grain": grain, "fields": fields,
      "omittedFields": omittedFields, "corrected": corrected, "windows": windows,
      "decrypted": decrypted,
    ]
  }
}
