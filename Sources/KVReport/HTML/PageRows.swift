import KVModel

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

  /// A column of a block: the values so far, as the elements of an array in JSON.
  private struct Column {
    let name: String
    var elements: [UInt8] = []
    /// Whether all values are empty: then the block has no such column, as most have in most.
    var isEmpty = true

    mutating func add(_ text: String) {
      if !text.isEmpty { isEmpty = false }
      elements.append(UInt8(ascii: ","))
      JSONBytes.append(quoted: text, to: &elements)
    }

    mutating func add(_ number: Int) {
      if number != 0 { isEmpty = false }
      elements.append(UInt8(ascii: ","))
      JSONBytes.append(number, to: &elements)
    }

    mutating func clear() {
      elements.removeAll(keepingCapacity: true)
      isEmpty = true
    }
  }

  /// The number of records in a full block.
  private static let limit = 8192

  private let prefix: String
  private var columns: [Column] = []
  private var count = 0
  /// The offset of the first record of the block, and the end of the last.
  private var bounds = (first: 0, last: 0)
  private var chunks: [Chunk] = []
  private var chunkCount = 0

  /// Creates an empty collection whose blocks have names that begin with `prefix`.
  init(_ prefix: String) { self.prefix = prefix }

  mutating func add(_ row: PageRow) {
    var index = 0
    func next(_ name: String) -> Int {
      if index == columns.count { columns.append(Column(name: name)) }
      index += 1
      return index - 1
    }
    let start = row.range.lowerBound
    columns[next("cautions")].add(row.cautions)
    columns[next("content")].add(row.content)
    columns[next("evidence")].add(row.evidence)
    columns[next("expiry")].add(row.expiry)
    columns[next("file")].add(row.file)
    columns[next("key")].add(row.keyText)
    columns[next("keyCount")].add(row.key.count)
    columns[next("keyNumber")].add(row.keyNumber)
    columns[next("keyStart")].add(row.key.lowerBound - start)
    columns[next("kind")].add(row.kind)
    columns[next("length")].add(row.range.count)
    columns[next("offset")].add(start)
    columns[next("operation")].add(row.operation)
    columns[next("others")].add(row.others)
    columns[next("probability")].add(row.probability)
    columns[next("rules")].add(row.rules)
    columns[next("state")].add(row.state)
    columns[next("states")].add(row.states)
    columns[next("value")].add(row.text)
    columns[next("valueCount")].add(row.value.count)
    columns[next("valueStart")].add(row.value.lowerBound - start)
    bounds = (count == 0 ? start : bounds.first, row.range.upperBound)
    count += 1
    if count == Self.limit { close() }
  }

  /// Ends the current block.
  mutating func close() {
    guard count > 0 else { return }
    let id = "\(prefix)-\(chunkCount)"
    chunkCount += 1
    var bytes = Array("{".utf8)
    for column in columns where !column.isEmpty {
      if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
      bytes += Array("\"\(column.name)\":[".utf8) + column.elements.dropFirst() + Array("]".utf8)
    }
    bytes += Array("}\n".utf8)
    let index = Index(id: id, count: count, first: bounds.first, last: bounds.last)
    chunks.append(Chunk(id: id, index: index, bytes: bytes))
    for index in columns.indices { columns[index].clear() }
    count = 0
  }

  /// Returns the blocks that were ended since the last call.
  mutating func take() -> [Chunk] {
    defer { chunks.removeAll() }
    return chunks
  }
}
