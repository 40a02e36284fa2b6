import KVModel
import KVRecovery

/// A record of a store's history, as the page shows it.
struct PageRow {
  var file = 0
  var range = 0..<0
  var key = 0..<0
  var value = 0..<0
  var keyText = ""
  /// The number of the key among those of the page: different keys can have the same text.
  var keyNumber = 0
  var operation = ""
  var state = ""
  var evidence = ""
  var cautions = ""
  /// The probability in steps of 1/10,000; 0 if it is not stated.
  var probability = 0
  var rules = 0
  var kind = ""
  var text = ""
  var others = ""
  /// What a value that is a document contains, on several lines.
  var content = ""
  var expiry = 0
  /// The states in which the record is live, one bit each.
  var states = 0
}

/// Collects records into blocks that the page decompresses on demand.
struct PageRows {
  /// A block of records as JSON: an object with an array per column.
  struct Chunk {
    let id: String
    let index: Index
    let bytes: [UInt8]
  }

  /// What is known about a block without decompressing it.
  struct Index {
    let id: String
    let count: Int
    let first: Int
    let last: Int

    var json: JSONObject { ["id": id, "count": count, "first": first, "last": last] }
  }

  /// The number of records in a full block.
  private static let limit = 8192

  private let prefix: String
  private var rows: [PageRow] = []
  private var chunks: [Chunk] = []
  private var chunkCount = 0

  /// Creates an empty collection whose blocks have names that begin with `prefix`.
  init(_ prefix: String) { self.prefix = prefix }

  mutating func add(_ row: PageRow) {
    rows.append(row)
    if rows.count == Self.limit { close() }
  }

  /// Ends the current block.
  mutating func close() {
    guard let first = rows.first, let last = rows.last else { return }
    let id = "\(prefix)-\(chunkCount)"
    chunkCount += 1
    var bytes: [UInt8] = []
    JSONLine.write(to: { bytes += $0 }, columns)
    chunks.append(
      Chunk(
        id: id,
        index: Index(
          id: id, count: rows.count, first: first.range.lowerBound, last: last.range.upperBound),
        bytes: bytes))
    rows.removeAll(keepingCapacity: true)
  }

  /// Returns the blocks that were ended since the last call.
  mutating func take() -> [Chunk] {
    defer { chunks.removeAll() }
    return chunks
  }

  private func columns(_ line: inout JSONLine) {
    func numbers(_ name: String, _ number: (PageRow) -> Int) {
      // Most columns are empty in most blocks.
      guard rows.contains(where: { number($0) != 0 }) else { return }
      line.member(name) {
        $0.array { line in for row in rows { line.element { $0.number(number(row)) } } }
      }
    }
    func texts(_ name: String, _ text: (PageRow) -> String) {
      guard rows.contains(where: { !text($0).isEmpty }) else { return }
      line.member(name) {
        $0.array { line in for row in rows { line.element { $0.text(text(row)) } } }
      }
    }
    texts("cautions") { $0.cautions }
    texts("content") { $0.content }
    texts("evidence") { $0.evidence }
    numbers("expiry") { $0.expiry }
    numbers("file") { $0.file }
    texts("key") { $0.keyText }
    numbers("keyCount") { $0.key.count }
    numbers("keyNumber") { $0.keyNumber }
    numbers("keyStart") { $0.key.lowerBound - $0.range.lowerBound }
    texts("kind") { $0.kind }
    numbers("length") { $0.range.count }
    numbers("offset") { $0.range.lowerBound }
    texts("operation") { $0.operation }
    texts("others") { $0.others }
    numbers("probability") { $0.probability }
    numbers("rules") { $0.rules }
    texts("state") { $0.state }
    numbers("states") { $0.states }
    texts("value") { $0.text }
    numbers("valueCount") { $0.value.count }
    numbers("valueStart") { $0.value.lowerBound - $0.range.lowerBound }
  }
}
