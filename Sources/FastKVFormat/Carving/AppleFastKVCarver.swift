import KVBytes
package import KVModel
package import KVSystem

/// Finds stores of FastKV for iOS in sources: by their mark, and by their records, each of which has
/// a checksum of 16 bits and a separator.
package struct AppleFastKVCarver: StoreCarver {
  /// The number of records whose checksums have 32 bits together.
  private static let provenCount = 2
  /// The largest number of pages over which a record that is cut may extend.
  private static let cutLimit = 4
  /// The largest number of logs, which limits memory.
  private static let logLimit = 1 << 16
  /// The time to try whether two parts are one log, as a number of bytes.
  private static let costOfTrial = 1 << 16
  /// What all separators that are not too short to search for begin with.
  private static let separator = Array(AppleDialect.Separator.cutTo8.bytes)
  private static let magic = FileImage(AppleHeader.magic + [0, 0]).storageSpan.word(at: 0)

  /// The whole records from the start of a log.
  private struct Log: Codable, Sendable {
    var runs: [Range<Int>]
    /// The number of bytes up to the end of the log, by its header.
    let whole: Int
    let dialect: AppleDialect
    var count = 0
    var end = AppleHeader.byteCount
    var entryCount = 0
    var offset: Int { runs[0].lowerBound }
    /// Whether records are missing after the last one.
    var isCut: Bool { end < whole }
    var isProven: Bool { end == whole && count >= AppleFastKVCarver.provenCount }
  }

  private var logs: [Log] = []
  /// The logs of which something is missing, with what seems to continue them.
  private var joined: [Int: Log] = [:]
  private var end = 0
  private var budget = CarvingBudget()
  private var loose: LooseRecords

  /// Creates a carver that has seen nothing, and also finds what `knowledge` leads to.
  package init(_ knowledge: CarvingKnowledge = CarvingKnowledge()) {
    loose = LooseRecords(knowledge.keys)
  }

  /// Whether there was more to compare than is worth the time.
  package var isLimited: Bool { budget.isExceeded }

  /// Takes over the keys that `other` knows.
  package mutating func learn(from other: AppleFastKVCarver) { loose.learn(from: other.loose) }

  /// Returns whether this, decoded, can be in a search of a source of `count` bytes.
  package func isSound(in count: Int) -> Bool {
    loose.isSound(in: count)
      && (logs + joined.values).allSatisfy { log in
        (1...2).contains(log.runs.count) && AppleDialect.all.contains(log.dialect)
          && log.runs.allSatisfy { $0.lowerBound < count && !$0.isEmpty }
          && log.whole <= AppleHeader.byteCount + CarvingWindow.logLimit
          && log.end >= AppleHeader.byteCount && log.end <= log.whole
      } && logs.allSatisfy { $0.offset + $0.end <= count }
  }

  /// Returns whether pass number `pass` is needed.
  package func needs(pass: Int) -> Bool { pass == 0 || pass == 1 && logs.contains(where: \.isCut) }

  /// Looks at the sectors of `window`.
  package mutating func examine(_ window: CarvingWindow, pass: Int) throws(FileError) {
    guard pass == 0 else { return try join(window) }
    if !loose.isEmpty { try findRecords(window) }
    let bytes = window.image
    for start in window.sectors(withAtLeast: AppleHeader.byteCount)
    where bytes.storageSpan.word(at: start) & 0xffff_ffff_ffff == Self.magic {
      if window.start + start >= end { try look(at: window.start + start, window) }
    }
  }

  private mutating func look(at offset: Int, _ window: CarvingWindow) throws(FileError) {
    let head = AppleHeader(of: try window.bytes(at: offset, count: AppleHeader.byteCount))
    let whole = AppleHeader.byteCount + Int(min(head.length, UInt64(CarvingWindow.logLimit)))
    guard logs.count < Self.logLimit, budget.spend(whole, of: window.source) else { return }
    let image = try window.bytes(at: offset, count: whole)
    let log = Self.log(
      image, [offset..<offset], whole: whole, AppleDialect.detect(in: image).dialect)
    guard log.count > 0 else { return }
    end = offset + log.end
    logs.append(log)
    logs[logs.count - 1].runs = [offset..<window.pageEnd(end, of: offset)]
  }

  /// Reads the records of `image`.
  private static func log(
    _ image: FileImage, _ runs: [Range<Int>], whole: Int, _ dialect: AppleDialect
  ) -> Log {
    var log = Log(runs: runs, whole: whole, dialect: dialect)
    let reader = AppleRecordReader(image, dialect)
    let seed = UInt64.random(in: 0 ... .max)
    /// Whether each key has a value, by its hash.
    var isLive: [UInt64: Bool] = [:]
    while let shape = reader.shape(at: log.end, limit: image.count), shape.isWitnessed {
      log.count += 1
      log.end = shape.range.upperBound
      isLive[image.storageSpan.hash(in: shape.key, seed: seed)] = shape.record.operation == .put
    }
    log.entryCount = isLive.values.count { $0 }
    return log
  }

  // MARK: Logs in two parts

  /// Looks in `window` for pages with separators, with which logs may continue.
  private mutating func join(_ window: CarvingWindow) throws(FileError) {
    let page = CarvingWindow.pageCount
    // There can be many logs and many pages, so that only those that fit together are tried.
    let cut = Dictionary(grouping: logs.indices.filter { (joined[$0] ?? logs[$0]).isCut }) {
      logs[$0].offset % page
    }.sorted { $0.key < $1.key }
    var place = 0
    while let found = window.image.firstOccurrence(
      of: Self.separator, in: place..<window.image.count)
    {
      // The next page is the next to be looked at, whatever else is in this one.
      for (alignment, indices) in cut {
        let offset = window.start + found
        let rest = offset - ((offset - alignment) % page + page) % page
        guard rest >= window.start, !isKnown(rest) else { continue }
        for index in indices {
          guard !budget.isExceeded else { return }
          try join(index, at: rest, window)
        }
      }
      place = min(window.image.count, (found / page + 1) * page)
    }
  }

  /// Returns whether `offset` of the source is in a log of which nothing is missing.
  private func isKnown(_ offset: Int) -> Bool {
    let next = logs.partitioningIndex { $0.offset > offset }
    guard next > 0, !logs[next - 1].isCut else { return false }
    return offset < logs[next - 1].offset + logs[next - 1].end
  }

  /// Continues a log at `rest` if more records are whole then.
  private mutating func join(
    _ index: Int, at rest: Int, _ window: CarvingWindow
  ) throws(FileError) {
    let old = logs[index]
    let best = joined[index] ?? old
    let page = CarvingWindow.pageCount
    let first = max(1, old.end / page)
    for count in first...first + Self.cutLimit where best.isCut && count * page < old.whole {
      guard budget.spend(old.whole + Self.costOfTrial, of: window.source) else { return }
      let runs = [old.offset..<old.offset + count * page, rest..<rest + old.whole - count * page]
      let bytes = try window.source.read(runs[0]).bytes + window.source.read(runs[1]).bytes
      var log = Self.log(FileImage(bytes), runs, whole: old.whole, old.dialect)
      // The page of another log may complete a record too, but does not end where this one does.
      guard log.end > count * page, log.count > (log.isCut ? best.count : old.count) else {
        continue
      }
      log.runs[1] = rest..<window.pageEnd(runs[1].upperBound, of: rest)
      joined[index] = log
      return
    }
  }

  /// Returns the stores that were found.
  package func stores() -> [CarvedStore] {
    let stores = logs.indices.map { index in
      let log = joined[index] ?? logs[index]
      return CarvedStore(
        AppleFastKVFormat.name, [CarvedFile(".fkv", log.runs, own: log.end)],
        log.isProven ? .proven : .inferred, log.isProven ? .most : Probability(0.999),
        because: "the CRC-16 and the separator of each record match: \(log.count.grouped)",
        entryCount: log.entryCount)
    }
    return stores
      + loose.stores(AppleFastKVFormat.name, ".fkv", besides: stores) { run in
        var writer = ByteWriter()
        writer.writeBytes(AppleHeader.magic)
        writer.writeInteger(AppleHeader.currentVersion, as: .little)
        writer.writeInteger(UInt64(run.range.count), as: .little)
        return writer.bytes
      }
  }

  // MARK: Single records

  /// Looks in `window` for records with known keys, by their version.
  private mutating func findRecords(_ window: CarvingWindow) throws(FileError) {
    let (image, base) = try LooseRecords.bytes(around: window, from: 8)
    let bytes = image.storageSpan
    let end = min(window.start - base + window.image.count, image.count - 8)
    for place in window.start - base..<max(window.start - base, end)
    where bytes[place] == 1 && bytes.word(at: place) & 0xffff_ffff == 1 {
      for dialect in AppleDialect.all where dialect.width <= place {
        guard
          let shape = AppleRecordReader(image, dialect).shape(
            at: place - dialect.width, limit: image.count, needsSeparator: true),
          shape.isWitnessed, loose.contains(image.bytes(in: shape.key))
        else { continue }
        loose.add(base + shape.range.lowerBound..<base + shape.range.upperBound)
        break
      }
    }
  }
}
