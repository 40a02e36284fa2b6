import KVBytes
package import KVModel
package import KVSystem

/// Finds stores of FastKV for Android in sources.
///
/// A file has no mark, but a length and a checksum of 64 bits, and its records end exactly at that
/// length.
package struct AndroidFastKVCarver: StoreCarver {
  /// The number of bytes before the records.
  private static let headerCount = 12
  /// The least number of records that show a log without a checksum.
  private static let recordCount = 3
  private static let usualCount = 1 << 16
  private static let partLimit = 1 << 16
  /// The number of different records after which no more are counted.
  private static let differenceLimit = 64
  private static let lengthMask: UInt64 = 0x3fff_ffff
  private static let encryptedBit: UInt64 = 0x4000_0000

  /// The beginning of a log.
  private struct Log: Codable, Sendable {
    let offset: Int
    /// The length in the header.
    let length: Int
    let checksum: UInt64
    let isEncrypted: Bool
    var chain: Chain
    var runs: [Range<Int>]
  }

  /// The plausible records from the start of a log.
  private struct Chain: Codable, Sendable {
    var count = 0
    var end = AndroidFastKVCarver.headerCount
    /// The number of records that are not the same as an earlier one, up to ``differenceLimit``.
    var differentCount = 0
    /// The number of keys with a value.
    var entryCount = 0
  }

  private var found: [Log] = []
  private var parts: [Log] = []
  /// The logs in two parts.
  private var joined: [Int: Log] = [:]
  private var end = 0
  private var fragments: FragmentSearch<XORLanes>?
  private var budget = CarvingBudget()
  /// Whether there was more to compare than is worth the time.
  package var isLimited: Bool { budget.isExceeded || fragments?.isLimited ?? false }
  private var loose: LooseRecords

  /// Creates a carver that has seen nothing, and also finds what `knowledge` leads to.
  package init(_ knowledge: CarvingKnowledge = CarvingKnowledge()) {
    loose = LooseRecords(knowledge.keys)
  }

  /// Takes over the keys that `other` knows.
  package mutating func learn(from other: AndroidFastKVCarver) { loose.learn(from: other.loose) }

  /// Returns whether this, decoded, can be in a search of a source of `count` bytes.
  package func isSound(in count: Int) -> Bool {
    (found + parts + joined.values).allSatisfy { log in
      log.offset < count && log.length <= CarvingWindow.logLimit
        && (1...2).contains(log.runs.count)
        && log.runs.allSatisfy { $0.lowerBound < count && !$0.isEmpty }
    } && fragments?.isSound(in: count, parts.indices, 0..<1) ?? true && loose.isSound(in: count)
  }

  /// Returns whether pass number `pass` is needed.
  package func needs(pass: Int) -> Bool { pass == 0 || pass == 1 && !parts.isEmpty }

  /// Looks at the sectors of `window`.
  package mutating func examine(_ window: CarvingWindow, pass: Int) throws(FileError) {
    guard pass == 0 else {
      if !(fragments?.hasFiles ?? false) {
        let earlier = fragments
        fragments = try search(window.source)
        if let earlier { fragments?.goOn(from: earlier) }
      }
      try fragments?.examine(window)
      return try join(window.source)
    }
    if !loose.isEmpty { try loose.examine(window, Self.record) }
    let image = window.image
    for start in window.sectors(withAtLeast: 32) where window.start + start >= end {
      let bytes = image.storageSpan
      // Two bytes reject nearly all sectors.
      guard bytes[start + 13] > 0, AndroidValueType(rawValue: bytes[start + 12] & 0x3f) != nil,
        bytes.word(at: start + 4) != 0
      else { continue }
      try look(at: start, window)
    }
  }

  private mutating func look(at start: Int, _ window: CarvingWindow) throws(FileError) {
    let word = window.image.storageSpan.word(at: start)
    let length = Int(word & Self.lengthMask)
    guard word & 0x8000_0000 == 0, length >= 4, length <= CarvingWindow.logLimit else { return }
    let isEncrypted = word & Self.encryptedBit != 0
    let offset = window.start + start
    let whole = Self.headerCount + length
    var bytes = try window.bytes(at: offset, count: min(whole, Self.usualCount))
    var chain = Self.chain(bytes, isEncrypted: isEncrypted)
    guard chain.count > 0 || Self.isCut(bytes, isEncrypted, whole) else { return }
    if whole > bytes.count, offset + whole <= window.source.count,
      budget.spend(whole, of: window.source)
    {
      bytes = try window.bytes(at: offset, count: whole)
      chain = Self.chain(bytes, isEncrypted: isEncrypted)
    }
    guard chain.count > 0 else { return }
    let checksum = window.image.storageSpan.word(at: start + 4)
    let pageEnd = window.pageEnd(offset + max(chain.end, Self.headerCount + 1), of: offset)
    let log = Log(
      offset: offset, length: length, checksum: checksum, isEncrypted: isEncrypted, chain: chain,
      runs: [offset..<pageEnd])
    var lanes = XORLanes()
    lanes.update(bytes.storageSpan, in: Self.headerCount..<bytes.count)
    if chain.end == whole, bytes.count == whole, lanes.value == checksum {
      found.append(log)
      end = offset + whole
    } else if parts.count < Self.partLimit {
      parts.append(log)
    }
  }

  /// Returns whether the first record of a log of `whole` bytes, which begins with `image`, ends
  /// after the bytes that were read.
  private static func isCut(_ image: FileImage, _ isEncrypted: Bool, _ whole: Int) -> Bool {
    guard
      let shape = AndroidRecordShape.claimed(
        image.storageSpan, at: headerCount, limit: image.count)
    else { return false }
    let plausibility = AndroidPlausibility(isEncrypted: isEncrypted, cipher: nil)
    let end = shape.range.upperBound
    return end > image.count && end <= whole && plausibility.hasFitKey(shape, image.storageSpan)
  }

  private static func chain(_ image: FileImage, isEncrypted: Bool) -> Chain {
    let bytes = image.storageSpan
    let plausibility = AndroidPlausibility(isEncrypted: isEncrypted, cipher: nil)
    var chain = Chain()
    /// Whether each key has a value, by its hash.
    var isLive: [UInt64: Bool] = [:]
    var different: Set<UInt64> = []
    let seed = UInt64.random(in: 0 ... .max)
    while case .success(let shape) = AndroidRecordShape.read(
      bytes, at: chain.end, limit: image.count), plausibility.accepts(shape, bytes)
    {
      chain.count += 1
      chain.end = shape.range.upperBound
      isLive[bytes.hash(in: shape.key, seed: seed)] = !shape.isStruck
      if different.count < differenceLimit {
        different.insert(bytes.hash(in: shape.range.dropFirst(), seed: seed))
      }
    }
    chain.differentCount = different.count
    chain.entryCount = isLive.values.count { $0 }
    return chain
  }

  /// Returns the search for the rests of logs in two parts.
  private mutating func search(
    _ source: RawSource
  ) throws(FileError) -> FragmentSearch<XORLanes> {
    var search = FragmentSearch<XORLanes>(
      in: source, without: found.map { $0.offset..<$0.offset + Self.headerCount + $0.length })
    let page = CarvingWindow.pageCount
    for (number, part) in parts.enumerated() {
      let whole = Self.headerCount + part.length
      let last = min((whole - 1) / page, part.chain.end / page + 1)
      guard last > 0 else { continue }
      guard !search.isFull, budget.spend(last * page, of: source) else { break }
      let image = try source.read(part.offset..<part.offset + last * page)
      var lanes = XORLanes()
      var end = Self.headerCount
      for count in 1...last where count * page <= image.count {
        lanes.update(image.storageSpan, in: end..<count * page)
        end = count * page
        search.add(
          .init(offset: part.offset, count: end, wholeCount: whole, part: number, whole: 0), lanes,
          of: part.checksum)
      }
    }
    return search
  }

  /// Reads the logs of new matches, whose records must fill them.
  private mutating func join(_ source: RawSource) throws(FileError) {
    for (number, match) in fragments?.matches ?? [:] where joined[number]?.runs != match.runs {
      var bytes: [UInt8] = []
      for run in match.runs { bytes += try source.read(run).bytes }
      let whole = match.beginning.wholeCount
      let image = FileImage(Array(bytes.prefix(whole)))
      let chain = Self.chain(image, isEncrypted: parts[number].isEncrypted)
      guard chain.end == whole else { continue }
      joined[number] = parts[number]
      joined[number]?.chain = chain
      joined[number]?.runs = match.runs
    }
  }

  /// Returns the stores that were found; two copies of one store are a store.
  package func stores() -> [CarvedStore] {
    let whole = found + joined.values.sorted { $0.offset < $1.offset }
    let rest = parts.indices.filter {
      joined[$0] == nil && parts[$0].chain.differentCount >= Self.recordCount
    }
    let copies = Dictionary(grouping: whole) { Content(length: $0.length, checksum: $0.checksum) }
    let stores =
      copies.values.flatMap { copies in
        stride(from: 0, to: copies.count, by: 2).map { first in
          Self.store(Array(copies[first..<min(first + 2, copies.count)]))
        }
      } + rest.map { Self.inferred(parts[$0]) }
    return stores
      + loose.stores(AndroidFastKVFormat.name, ".kva", besides: stores) { _ in
        // A blank header claims nothing that the records could contradict.
        Array(repeating: 0, count: Self.headerCount)
      }
  }

  /// Returns the record of which the key's length is at `offset` of `image`, if it is plausible.
  private static func record(_ image: FileImage, at offset: Int) -> Range<Int>? {
    let bytes = image.storageSpan
    guard offset > 0,
      case .success(let shape) = AndroidRecordShape.read(
        bytes, at: offset - 1, limit: image.count),
      AndroidPlausibility(isEncrypted: false, cipher: nil).accepts(shape, bytes)
    else { return nil }
    return shape.range
  }

  /// What is the same in both copies.
  private struct Content: Hashable {
    let length: Int
    let checksum: UInt64
  }

  private static func store(_ copies: [Log]) -> CarvedStore {
    CarvedStore(
      AndroidFastKVFormat.name,
      zip([".kva", ".kvb"], copies).map { CarvedFile($0, $1.runs, own: $1.chain.end) }, .proven,
      .most,
      because: copies.count > 1
        ? "two copies with the same checksum of 64 bits"
        : "the checksum of 64 bits matches over \(copies[0].length.inBytes)",
      entryCount: copies[0].isEncrypted ? nil : copies[0].chain.entryCount)
  }

  private static func inferred(_ log: Log) -> CarvedStore {
    CarvedStore(
      AndroidFastKVFormat.name, [CarvedFile(".kva", log.runs, own: log.chain.end)], .inferred,
      Probability(1 - Logarithm.power2(-Double(2 * log.chain.differentCount + 2))),
      because: "\(log.chain.count.counted("record follows", "records follow")) each other",
      entryCount: log.isEncrypted ? nil : log.chain.entryCount)
  }
}
