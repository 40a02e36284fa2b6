import KVBytes
import KVModel

/// The plausible records from the start of what may be a log.
struct CarvedChain: Codable, Sendable {
  private static let plausibility = Plausibility(expiry: .unknown, expectsTextKeys: true)
  /// The number of last records that bytes of another file may seem to be.
  private static let luck = 3

  /// The number of records.
  private(set) var count = 0
  /// The number of bytes from the start of the file to the end of the last record.
  private(set) var end = DataHeader.byteCount
  /// Where the last records begin, which may not belong to the log.
  private var lastStarts: [Int] = []
  /// The number of keys with a value.
  private(set) var entryCount = 0
  /// Whether the bytes end within a record that may be whole.
  private(set) var isCut = false

  /// Reads the records of the file that begins at `start` of `image`, up to `limit`.
  init(_ image: FileImage, at start: Int, limit: Int) {
    guard start + DataHeader.byteCount < limit else { return }
    var cursor = ByteCursor(image.storageSpan, in: start + DataHeader.byteCount..<limit)
    guard (try? cursor.readVarint()) != nil else { return }
    end = cursor.offset - start
    /// Whether each key has a value, by its hash.
    var isLive: [UInt64: Bool] = [:]
    let seed = UInt64.random(in: 0 ... .max)
    defer { entryCount = isLive.values.count { $0 } }
    while !cursor.isAtEnd, image[cursor.offset] != 0 {
      switch RecordShape.read(&cursor) {
      case .failure(let damage):
        isCut = damage.cause != .negativeLength
        return
      case .success(let shape):
        guard !shape.key.isEmpty, Self.plausibility.accepts(shape, in: image) else { return }
        add(shape, start)
        isLive[image.storageSpan.hash(in: shape.key, seed: seed)] = !shape.value.isEmpty
      }
    }
    isCut = cursor.isAtEnd
  }

  private mutating func add(_ shape: RecordShape, _ start: Int) {
    count += 1
    end = shape.range.upperBound - start
    if lastStarts.count == Self.luck { lastStarts.removeFirst() }
    lastStarts.append(shape.range.lowerBound - start)
  }

  /// The numbers of pages after which the file may continue elsewhere.
  var possiblePages: ClosedRange<Int>? {
    let page = CarvingWindow.pageCount
    let first = max(1, (lastStarts.first ?? end) / page)
    return count > 0 && end / page + 1 >= first ? first...end / page + 1 : nil
  }
}
