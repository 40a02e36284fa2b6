import KVBytes
import KVModel

/// The plausible records from the start of what may be a log.
struct CarvedChain: Codable, Sendable {
  private static let plausibility = Plausibility(expiry: .unknown, expectsTextKeys: true)
  /// The least number of records that show a log without a checksum.
  private static let recordCount = 3
  /// How much likelier than noise such records must be, in bits.
  ///
  /// Tables of small numbers are full of what could be records, but of one key, and of few values.
  /// Three different records have 28 bits with nearly all keys and values.
  private static let leastBits = 28.0
  /// The number of different records after which no more are counted.
  private static let differenceLimit = 64
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
  /// The number of records that are not the same as an earlier one, up to ``differenceLimit``.
  private(set) var differentCount = 0
  /// How much likelier those are in a log than in noise, as the log2 of that.
  private var bits = 0.0
  /// Whether the bytes end within a record that may be whole.
  private(set) var isCut = false
  /// Whether that record is a text or data by its lengths, which agree.
  private(set) var isInLongRecord = false

  /// Reads the records of the file that begins at `start` of `image`, up to `limit`.
  init(_ image: FileImage, at start: Int, limit: Int) {
    guard start + DataHeader.byteCount < limit else { return }
    var cursor = ByteCursor(image.storageSpan, in: start + DataHeader.byteCount..<limit)
    guard (try? cursor.readVarint()) != nil else { return }
    end = cursor.offset - start
    /// Whether each key has a value, by its hash.
    var isLive: [UInt64: Bool] = [:]
    var different: Set<UInt64> = []
    let seed = UInt64.random(in: 0 ... .max)
    defer { entryCount = isLive.values.count { $0 } }
    while !cursor.isAtEnd, image[cursor.offset] != 0 {
      switch RecordShape.read(&cursor) {
      case .failure(let damage):
        isCut = damage.cause != .negativeLength
        isInLongRecord = damage.cause == .lengthBeyondEnd && Self.beginsLongRecord(cursor, image)
        return
      case .success(let shape):
        guard !shape.key.isEmpty, Self.plausibility.accepts(shape, in: image) else { return }
        add(shape, start)
        let key = image.storageSpan.hash(in: shape.key, seed: seed)
        if different.count < Self.differenceLimit,
          different.insert(image.storageSpan.hash(in: shape.range, seed: seed)).inserted
        {
          differentCount += 1
          bits += NoiseOdds.bits(of: shape, in: image, hasNewKey: isLive[key] == nil)
        }
        isLive[key] = !shape.value.isEmpty
      }
    }
    isCut = cursor.isAtEnd
  }

  /// Returns whether a record begins at `cursor` whose key is text, and whose value is a text or
  /// data.
  private static func beginsLongRecord(_ cursor: ByteCursor, _ image: FileImage) -> Bool {
    var cursor = cursor
    guard let keyCount = try? cursor.readVarint(), keyCount > 0,
      keyCount <= UInt64(cursor.remaining),
      let key = try? cursor.readRange(count: Int(keyCount)), Plausibility.isText(image, key),
      let count = try? cursor.readVarint(), count <= UInt64(CarvingWindow.logLimit),
      let inner = try? cursor.readVarint()
    else { return false }
    return inner < count && inner + UInt64(ByteWriter.varintCount(inner)) == count
  }

  private mutating func add(_ shape: RecordShape, _ start: Int) {
    count += 1
    end = shape.range.upperBound - start
    if lastStarts.count == Self.luck { lastStarts.removeFirst() }
    lastStarts.append(shape.range.lowerBound - start)
  }

  /// Whether the records show a log by themselves.
  var isLog: Bool { count >= Self.recordCount && bits >= Self.leastBits }

  /// The numbers of pages after which the file may continue elsewhere.
  var possiblePages: ClosedRange<Int>? {
    let page = CarvingWindow.pageCount
    let first = max(1, (lastStarts.first ?? end) / page)
    return count > 0 && end / page + 1 >= first ? first...end / page + 1 : nil
  }
}
