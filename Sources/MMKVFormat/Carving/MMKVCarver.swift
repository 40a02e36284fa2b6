import KVBytes
package import KVModel
package import KVSystem

/// Finds MMKV stores in sources.
///
/// A data file has no mark, and an encrypted one no form. But a meta file has one, and states the size
/// and the CRC-32 of the log: the first pass collects meta files, the second compares what may be a
/// data file with all of them, and the third looks for the rest of logs in two parts.
package struct MMKVCarver: StoreCarver {
  /// The number of bytes that a log is first read by.
  private static let usualCount = 1 << 16
  /// The largest number of beginnings of logs, which limits memory.
  private static let partLimit = 1 << 16
  /// The longest log that is looked for where its header says another size, and records do not show
  /// it: other data may be like it, too.
  private static let bareLimit = 1 << 20
  /// The time to look up a checksum, as a number of bytes.
  private static let costOfTrial = 64

  private var index = MetaIndex()
  private var isSorted = false
  private var found: [CarvedLog] = []
  /// The logs that no checksum covers, or only together with bytes from elsewhere.
  private var parts: [LogPart] = []
  /// The number of checksums that were compared, each of which may match by coincidence.
  private var trials = 0
  /// The same, over bytes that neither their header nor records show to be a log.
  private var bareTrials = 0
  private var budget = CarvingBudget()
  /// Where the last log that was found ends.
  private var end = 0
  private var fragments: FragmentSearch<CRC32>?
  /// The logs in two parts.
  private var joined: [Int: CarvedLog] = [:]

  private var loose: LooseRecords
  private var encrypted: EncryptedLogs

  /// Creates a carver that has seen nothing, and also finds what `knowledge` leads to.
  package init(_ knowledge: CarvingKnowledge = CarvingKnowledge()) {
    loose = LooseRecords(knowledge.keys)
    encrypted = EncryptedLogs(knowledge.secrets, isAES256: knowledge.isAES256)
  }

  /// Takes over the keys that `other` knows.
  package mutating func learn(from other: MMKVCarver) {
    loose.learn(from: other.loose)
    encrypted.learn(from: other.encrypted)
    index.sort()
  }

  /// Returns whether this, decoded, can be in a search of a source of `count` bytes.
  package func isSound(in count: Int) -> Bool {
    index.metas.allSatisfy { $0.isSound(in: count) }
      && (found + joined.values).allSatisfy { $0.isSound(in: count) }
      && parts.allSatisfy { $0.offset < count && $0.chain?.end ?? 0 <= count }
      && fragments?.isSound(in: count, parts.indices, index.metas.indices) ?? true
      && loose.isSound(in: count) && encrypted.isSound(in: count)
  }

  /// Returns whether pass number `pass` is needed.
  package func needs(pass: Int) -> Bool {
    pass < 2 || pass == 2 && !parts.isEmpty && found.count < index.metas.count
  }

  /// Looks at the sectors of `window`.
  package mutating func examine(_ window: CarvingWindow, pass: Int) throws(FileError) {
    switch pass {
    case 0:
      for start in window.sectors(withAtLeast: CarvingWindow.sectorCount) {
        if let meta = CarvedMeta(window, at: start) { index.add(meta) }
      }
      if !loose.isEmpty { try loose.examine(window, Self.record) }
      try encrypted.examine(window)
    case 1:
      if !isSorted { index.sort() }
      isSorted = true
      let bytes = window.image
      for start in window.sectors(withAtLeast: 16) where window.start + start >= end {
        let word = bytes.storageSpan.word(at: start)
        let header = Int(word & 0xffff_ffff)
        guard word >> 32 != 0, header <= CarvingWindow.logLimit else { continue }
        try look(at: start, header, window)
      }
    default:
      if !(fragments?.hasFiles ?? false) {
        let earlier = fragments
        fragments = try search(window.source)
        if let earlier { fragments?.goOn(from: earlier) }
      }
      try fragments?.examine(window)
      try join(window.source)
    }
  }

  /// Looks for a log in the file that may begin at `start` of `window`.
  private mutating func look(
    at start: Int, _ header: Int, _ window: CarvingWindow
  ) throws(FileError) {
    let offset = window.start + start
    let chain = try chain(at: start, window)
    let isSized = !index.groups(ofSize: header).isEmpty
    let first = start + DataHeader.byteCount
    // Nearly all other noise, such as compressed data, has a number here that is no size.
    let mayBeEncrypted =
      header <= Self.bareLimit && Self.isNoise(window.image, first..<start + 16)
    guard mayBeEncrypted || isSized || chain.count > 0 || header > 0 && header < 1 << 20 else {
      return
    }
    // The header may have an old size: Docs/FORMAT-MMKV.md § Data file.
    let groups =
      mayBeEncrypted || header == 0 || chain.count > 0
      ? index.groups[...] : index.groups(ofSize: header)
    let place = Place(
      window: window, start: start, header: header, chain: chain,
      isNoise: EncryptedLogs.isNoise(window.image, at: start))
    if var log = try match(place, groups) {
      if log.chain == nil {
        let bytes = try window.bytes(at: offset, count: DataHeader.byteCount + log.size)
        log.decryptedCount = encrypted.entryCount(bytes, log.meta)
      }
      found.append(log)
      end = offset + DataHeader.byteCount + log.size
      return
    }
    guard parts.count < Self.partLimit else { return }
    if chain.count > 0 {
      parts.append(LogPart(offset: offset, header: header, chain: chain))
    } else if header == 0 || isSized, window.image.count - start >= CarvingWindow.pageCount,
      Self.isNoise(window.image, first..<start + CarvingWindow.pageCount)
    {
      parts.append(LogPart(offset: offset, header: header, chain: nil))
    }
  }

  /// Returns the records from the start of the file at `start` of `window`.
  private mutating func chain(
    at start: Int, _ window: CarvingWindow
  ) throws(FileError) -> CarvedChain {
    var limit = min(window.image.count, start + Self.usualCount)
    var chain = CarvedChain(window.image, at: start, limit: limit)
    var count = Self.usualCount
    while chain.isCut, chain.count > 0 || chain.isInLongRecord, count < CarvingWindow.logLimit,
      window.start + limit < window.source.count, budget.spend(4 * count, of: window.source)
    {
      count *= 4
      let bytes = try window.bytes(at: window.start + start, count: count)
      limit = start + bytes.count
      let longer = CarvedChain(bytes, at: 0, limit: bytes.count)
      if longer.count == chain.count, !longer.isInLongRecord { break }
      chain = longer
    }
    return chain
  }

  /// What may be the beginning of a log.
  private struct Place {
    let window: CarvingWindow
    let start: Int
    /// The size in the header.
    let header: Int
    let chain: CarvedChain
    /// Whether the first bytes are as different as encrypted ones.
    let isNoise: Bool
    var offset: Int { window.start + start }

    /// Returns whether there may be a log of `size` bytes, though the header may say another size.
    func mayHave(_ size: Int) -> Bool {
      isShown(size) || size < EncryptedLogs.sampleCount || isNoise && size <= MMKVCarver.bareLimit
    }

    /// Returns whether more than a checksum can show a log of `size` bytes.
    func isShown(_ size: Int) -> Bool { header == 0 || header == size || chain.count > 0 }
  }

  /// Returns the longest log at `place` whose checksum is in one of `groups`.
  private mutating func match(
    _ place: Place, _ groups: ArraySlice<MetaIndex.Group>
  ) throws(FileError) -> CarvedLog? {
    let window = place.window
    var best: CarvedLog?
    var comparison = LogComparison(window, at: place.start)
    for group in groups where place.mayHave(group.size) {
      // Encrypted bytes hold no sector of zeros, and other bytes are a log only if records show it.
      if place.chain.count == 0, comparison.isAtZeros { break }
      let cost = comparison.cost(of: group.size) + Self.costOfTrial
      guard budget.spend(cost, of: window.source) || place.header == group.size,
        try compare(place, group.size, group, &comparison, &best)
      else { break }
    }
    if best == nil, place.header > CarvedMeta.emptyLimit, !index.unsized.byDigest.isEmpty,
      budget.spend(place.header, of: window.source)
    {
      comparison = LogComparison(window, at: place.start)
      _ = try compare(place, place.header, index.unsized, &comparison, &best)
    }
    return best
  }

  /// Compares the checksum of the first `size` bytes of the log at `place` with those of `group`;
  /// returns whether the source has as many.
  private mutating func compare(
    _ place: Place, _ size: Int, _ group: MetaIndex.Group, _ comparison: inout LogComparison,
    _ best: inout CarvedLog?
  ) throws(FileError) -> Bool {
    guard let digest = try comparison.checksum(of: size) else { return false }
    let count = group.byDigest.count
    if place.isShown(group.size) { trials += count } else { bareTrials += count }
    guard let metas = group.byDigest[digest], let meta = index.nearest(metas, to: place.offset)
    else { return true }
    let end = place.offset + DataHeader.byteCount + size
    best = CarvedLog(
      runs: [place.offset..<place.window.pageEnd(end, of: place.offset)], header: place.header,
      size: size, meta: meta, chain: place.offset + place.chain.end == end ? place.chain : nil,
      endsBeforeZeros: comparison.endsBeforeZeros)
    return true
  }

  /// Whether there was more to compare than is worth the time.
  package var isLimited: Bool {
    budget.isExceeded || encrypted.isLimited || fragments?.isLimited ?? false
  }

  /// Returns whether as many bytes in `range` differ as in random ones, which encrypted bytes are
  /// like.
  private static func isNoise(_ image: FileImage, _ range: Range<Int>) -> Bool {
    image.storageSpan.distinctCount(in: range) > min(range.count * 2 / 3, 250)
  }

  // MARK: Logs in two parts

  /// Returns the search for the rests of logs whose meta files no log has.
  private mutating func search(_ source: RawSource) throws(FileError) -> FragmentSearch<CRC32> {
    var search = FragmentSearch<CRC32>(
      in: source, without: found.map { $0.offset..<$0.offset + DataHeader.byteCount + $0.size })
    let matched = Set(found.map(\.meta.content))
    var known: Set<CarvedMeta.Content> = []
    let metas = index.metas.indices.filter { position in
      let content = index.metas[position].content
      return content.size > 0 && !matched.contains(content) && known.insert(content).inserted
    }
    guard let longest = metas.map({ index.metas[$0].size }).max() else { return search }
    for (number, part) in parts.enumerated() {
      let page = CarvingWindow.pageCount
      guard let pages = part.possiblePages?.clamped(to: 1...max(1, longest / page + 1))
      else { continue }
      let count = pages.upperBound * page
      guard !search.isFull,
        budget.spend(count + pages.count * metas.count * Self.costOfTrial, of: source)
      else { break }
      let image = try source.read(part.offset..<part.offset + count)
      var digest = CRC32()
      var end = DataHeader.byteCount
      for count in pages where count * page <= image.count {
        digest.update(image.storageSpan, in: end..<count * page)
        end = count * page
        for position in metas {
          let meta = index.metas[position]
          guard let size = part.size(by: meta) else { continue }
          search.add(
            .init(
              offset: part.offset, count: end, wholeCount: size + DataHeader.byteCount,
              part: number, whole: position), digest, of: meta.digest)
        }
      }
    }
    return search
  }

  /// Reads the logs of new matches.
  private mutating func join(_ source: RawSource) throws(FileError) {
    for (number, match) in fragments?.matches ?? [:] where joined[number]?.runs != match.runs {
      var bytes: [UInt8] = []
      for run in match.runs { bytes += try source.read(run).bytes }
      let count = match.beginning.wholeCount
      guard bytes.count >= count else { continue }
      let chain = CarvedChain(FileImage(bytes), at: 0, limit: count)
      let meta = index.metas[match.beginning.whole]
      joined[number] = CarvedLog(
        runs: match.runs, header: parts[number].header, size: count - DataHeader.byteCount,
        meta: meta, chain: chain.end == count ? chain : nil,
        endsBeforeZeros: LogComparison.endsBeforeZeros(FileImage(bytes), at: count))
      if chain.end != count {
        joined[number]?.decryptedCount = encrypted.entryCount(
          FileImage(Array(bytes.prefix(count))), meta)
      }
    }
  }

  /// Returns the stores that were found.
  package func stores() -> [CarvedStore] {
    let whole = found.map { log in
      log.store(trials: log.hasOnlyChecksum ? trials + bareTrials : trials)
    }
    let inTwo = joined.compactMap { number, log in
      fragments?.matches[number].map { log.store(trials: fragments?.trials(for: $0) ?? 1) }
    }
    let rest = parts.indices.filter { joined[$0] == nil }
    let stores = whole + inTwo + rest.compactMap { parts[$0].store } + encrypted.stores()
    return stores + loose.stores(MMKVFormat.name, "", besides: stores, head: Self.head)
  }

  // MARK: Single records

  private static let plausibility = Plausibility(expiry: .unknown, expectsTextKeys: false)

  /// Returns the record at `offset` of `image`, if an app could well have written its value.
  private static func record(_ image: FileImage, at offset: Int) -> Range<Int>? {
    var cursor = ByteCursor(image.storageSpan, in: offset..<image.count)
    guard case .success(let shape) = RecordShape.read(&cursor),
      plausibility.hasPlausibleValue(shape, in: image)
    else { return nil }
    return shape.range
  }

  /// Returns what is before the records of a data file: the size, and the prefix of an engine.
  private static func head(of run: LooseRecords.Run) -> [UInt8] {
    var writer = ByteWriter()
    let prefix: [UInt8] = [0xff, 0xff, 0xff, 0x07]
    writer.writeInteger(UInt32(truncatingIfNeeded: prefix.count + run.range.count), as: .little)
    writer.writeBytes(prefix)
    return writer.bytes
  }
}
