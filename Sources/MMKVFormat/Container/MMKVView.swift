import KVBytes
import KVCryptography
import KVModel

/// The two files of a store as the engine sees them: extended with zeros to whole pages, decrypted
/// with the given key, and parsed.
struct MMKVView: Sendable {
  /// The number of consecutive plausible records that is not a coincidence.
  private static let chainCount = 3
  /// The number of bytes in which they are searched for.
  private static let sampleCount = 4096

  let key: MMKVKey?
  let page: PageSize
  let header: DataHeader
  let meta: MetaInfo
  let digests: PayloadDigests
  /// What the fields say about where the log ends, checked against the bytes.
  let lengthClaims: [LengthClaim]
  /// The data file, as stored.
  let stored: FileImage
  /// The data file, decrypted.
  let plain: FileImage
  let storedMeta: FileImage
  /// Whether the meta file says nothing about this log, because no engine ever wrote its digest.
  let saysNothing: Bool
  /// The vector used for decryption; `nil` without a key.
  let vector: [UInt8]?
  /// The real sizes of the files, in bytes.
  let dataCount: Int
  let metaCount: Int

  /// Creates a view of these files; `nil` for a file that is missing.
  init(data: FileImage?, meta: FileImage?, key: MMKVKey?) {
    let data = data ?? FileImage([])
    let meta = meta ?? FileImage([])
    let page = PageSize(data: data, meta: meta)
    self.init(
      stored: data.zeroExtended(to: min(page.extended(data.count), FileImage.maximumCount)),
      storedMeta: meta.zeroExtended(to: page.count), page: page, key: key, dataCount: data.count,
      metaCount: meta.count)
  }

  private init(
    stored: FileImage, storedMeta: FileImage, page: PageSize, key: MMKVKey?, dataCount: Int,
    metaCount: Int, vector: [UInt8]? = nil, plain decoded: FileImage? = nil
  ) {
    var headerCursor = ByteCursor(stored.storageSpan, in: stored.range)
    var metaCursor = ByteCursor(storedMeta.storageSpan, in: storedMeta.range)
    guard let header = try? DataHeader(parsing: &headerCursor),
      let meta = try? MetaInfo(parsing: &metaCursor)
    else { preconditionFailure("extended images hold at least a page") }
    let sizes = StatedSizes(meta, header)
    digests = sizes.digests(of: stored)
    saysNothing =
      meta.isBlank
      || meta.isUnwritten && !stored.isZero(in: DataHeader.byteCount..<stored.count)
    lengthClaims = sizes.lengthClaims(
      digests, dataCount: dataCount, metaCount: metaCount, hasDigest: !saysNothing)
    let cipher = key.map { key in
      vector.map { PayloadCipher(key, vector: $0) } ?? PayloadCipher(key, meta)
    }
    plain = decoded ?? cipher?.decrypting(stored) ?? stored
    self.vector = cipher?.vector
    self.key = key
    self.page = page
    self.header = header
    self.meta = meta
    self.stored = stored
    self.storedMeta = storedMeta
    self.dataCount = dataCount
    self.metaCount = metaCount
  }

  /// Returns the view with `changes` made to the stored bytes.
  func applying(_ changes: [ByteChange]) -> MMKVView {
    MMKVView(
      stored: stored.applying(changes, of: .data),
      storedMeta: storedMeta.applying(changes, of: .meta), page: page, key: key,
      dataCount: dataCount, metaCount: metaCount, vector: vector)
  }

  /// Returns the view of the same files, read with `edits`.
  func applying(_ edits: [Correction.Edit]) -> MMKVView {
    var vector = vector
    var islands: [Extent] = []
    var moved: [(extent: Extent, shift: Int)] = []
    for edit in edits {
      switch edit {
      case .vector(let other): vector = other
      case .plaintext(let extent): islands.append(extent)
      case .shifted(let extent, let shift): moved.append((extent, shift))
      case .change, .ignoredLengths: continue
      }
    }
    let isDecodedAnew = vector != self.vector || edits.contains { $0.change != nil }
    let view =
      isDecodedAnew
      ? MMKVView(
        stored: stored.applying(edits, of: .data),
        storedMeta: storedMeta.applying(edits, of: .meta),
        page: page, key: key, dataCount: dataCount, metaCount: metaCount, vector: vector) : self
    guard !islands.isEmpty || !moved.isEmpty else { return view }
    var bytes = view.plain.bytes
    for (extent, shift) in moved {
      let plain = view.cipher?.decrypting(extent.range, of: view.stored, shiftedBy: shift)
      if let plain { bytes.replaceSubrange(extent.range, with: plain) }
    }
    for island in islands {
      bytes.replaceSubrange(island.range, with: view.stored.bytes(in: island.range))
    }
    return MMKVView(
      stored: view.stored, storedMeta: view.storedMeta, page: page, key: key,
      dataCount: dataCount, metaCount: metaCount, vector: vector, plain: FileImage(bytes))
  }

  /// Returns the correction of the vector, if the first block is far likelier to be part of a log
  /// with another one.
  ///
  /// The candidates are the vectors that other meta versions would imply, and those with one bit
  /// flipped. The result is `nil` if the stated vector fits, or if not exactly one candidate does.
  func vectorCorrection() -> Correction? {
    let sample = FileImage(stored.bytes(in: 0..<min(stored.count, Self.sampleCount)))
    guard let key, let vector, !beginsWithRecords(sample, vector) else { return nil }
    let rules = [statesVector ? meta.vector : vector, key.impliedVector].filter { $0 != vector }
    // Only bits of a file can be flipped.
    let flips = statesVector && vector == meta.vector ? 0..<vector.count * 8 : 0..<0
    let bits = flips.map { bit in
      var other = vector
      other[bit / 8] ^= 1 << UInt8(bit % 8)
      return other
    }
    // The stated vector is right unless another outweighs both the rarity of damage to it and the
    // number of candidates.
    let candidates = Double(rules.count + bits.count)
    let stated = firstBlockBits(sample, vector)
    let least = stated - FirstBlock.vectorPrior + Logarithm.base2(candidates)
    let isFitting = { (other: [UInt8]) in
      beginsWithRecords(sample, other) && firstBlockBits(sample, other) >= least
    }
    let fitting = rules.first(where: isFitting).map { [$0] } ?? bits.filter(isFitting)
    guard let other = fitting.first, fitting.count == 1 else { return nil }
    return Correction(
      [.vector(other)], by: OtherVector.self,
      CoincidenceOdds(
        checksumBits: 0, framingBits: Int(min(firstBlockBits(sample, other) - stated, 64)),
        candidates: candidates),
      reason: "the first block decrypts to records only with another IV")
  }

  /// Returns the evidence for `vector` in the first block of `sample`, in bits; if no records
  /// follow, that of a damaged vector.
  private func firstBlockBits(_ sample: FileImage, _ vector: [UInt8]) -> Double {
    guard let key, let plain = PayloadCipher(key, vector: vector).decrypting(sample) else {
      return FirstBlock.vectorPrior
    }
    // A wrong version can lead to a size of 0.
    let log = lengthClaims.first?.log.flatMap { $0.count > NoiseOdds.emptyCount ? $0.end : nil }
    let end = max(DataHeader.byteCount, min(plain.count, log ?? dataCount))
    return FirstBlock.bits(of: DataHeader.byteCount..<end, in: plain, by: meta.writer)
      ?? FirstBlock.vectorPrior
  }

  /// Returns the correction that leaves plaintext records undecrypted; `nil` if everything is
  /// encrypted.
  func islandCorrection() -> Correction? {
    let islands = PlaintextIslands(self).ranges
    guard !islands.isEmpty else { return nil }
    // Decrypted, they are not records.
    return Correction(
      islands.map { .plaintext(Extent(.data, $0)) }, by: PlaintextRecords.self, nil, neededBits: 0,
      reason: "these bytes are records as stored, but not when decrypted")
  }

  /// Returns the correction that decrypts what has moved in the log from where its blocks begin now;
  /// `nil` if nothing has.
  func shiftCorrection() -> Correction? {
    let runs = ShiftedBlocks(self).runs
    guard !runs.isEmpty else { return nil }
    return Correction(
      runs.map { .shifted(Extent(.data, $0.range), by: $0.shift) }, by: MovedBlocks.self, nil,
      neededBits: 0,
      reason: "these bytes are records only if the cipher's blocks begin elsewhere")
  }

  /// The cipher of the log; `nil` without a key.
  var cipher: PayloadCipher? {
    guard let key, let vector else { return nil }
    return PayloadCipher(key, vector: vector)
  }

  /// Returns whether the first records in `sample`, decrypted with `vector`, are plausible.
  private func beginsWithRecords(_ sample: FileImage, _ vector: [UInt8]) -> Bool {
    guard let key, let plain = PayloadCipher(key, vector: vector).decrypting(sample) else {
      return false
    }
    let plausibility = Plausibility(expiry: .unknown, expectsTextKeys: true)
    let end = verifiedLog?.end ?? dataCount
    let log = DataHeader.byteCount..<min(plain.count, max(DataHeader.byteCount, end))
    var count = 0
    for event in MMKVRecords(plain, in: log, mode: .plain, isEncrypted: true) {
      switch event {
      case .record(let record):
        guard plausibility.accepts(record, in: plain) else { return false }
        count += 1
        if count == Self.chainCount { return true }
      case .filler: continue
      case .gap: return false
      }
    }
    // A log of fewer records decodes to its end.
    return count > 0 && log.upperBound == verifiedLog?.end
  }

  /// The log over which a stored digest matches, by the first field that leads to one with records;
  /// `nil` if there is none.
  var verifiedLog: Extent? {
    lengthClaims.first { $0.isVerified && $0.count > NoiseOdds.emptyCount }?.log
  }

  /// Whether a log too short to show records after its first block decodes with another vector, so
  /// that the key is right and the vector damaged.
  ///
  /// The evidence must outweigh the rarity of damage to the vector and the number of vectors that are
  /// tried, as for a key: a wrong key must not find one.
  var isReadableWithOtherVector: Bool {
    guard let key, let log = verifiedLog, log.end <= Self.sampleCount,
      case .vector(let other)? = vectorCorrection()?.edits.first,
      let image = PayloadCipher(key, vector: other)
        .decrypting(FileImage(stored.bytes(in: 0..<log.end))),
      let odds = NoiseOdds(of: log.range, in: image, by: meta.writer)
    else { return false }
    let candidates = Double(other.count * 8 + 2)
    return odds.bits
      >= NoiseOdds.leastBits - FirstBlock.vectorPrior + Logarithm.base2(candidates)
  }

  /// Whether the meta file has a vector.
  var statesVector: Bool {
    metaCount >= MetaInfo.Field.vector.upperBound && !saysNothing
  }

  /// Returns whether the records of `log` in which `changes` lie still end where they do now, and
  /// are plausible, once the bytes are changed.
  ///
  /// All of `log` then decodes if it does so now. It may also do so if the result is `false`.
  ///
  /// - Precondition: The store is not encrypted, and the changes are in `log`.
  func recordsKeepTheirEnds(_ changes: [ByteChange], in log: Extent) -> Bool {
    let offsets = changes.map(\.offset)
    guard let first = offsets.min(), let last = offsets.max() else { return true }
    var range = log.range.prefix(0)
    for event in MMKVRecords(plain, in: log.range, mode: .plain, isEncrypted: false) {
      let extent = event.extent
      range = (extent.offset <= first ? extent.offset : range.lowerBound)..<extent.end
      if extent.end > last { break }
    }
    guard range.lowerBound > DataHeader.byteCount, range.upperBound > last else { return false }
    var bytes = plain.bytes(in: range)
    for change in changes { bytes[change.offset - range.lowerBound] ^= change.mask }
    let grammar = MMKVGrammar(
      image: FileImage(bytes),
      plausibility: Resynchronizer(plain, expiry: knownExpiry).plausibility)
    var position = 0
    while position < bytes.count {
      guard bytes[position] != 0,
        case .record(let end) = grammar.reading(at: position, limit: bytes.count)
      else { return false }
      position = end
    }
    return true
  }

  /// Whether values end in an expiry suffix, as far as the meta file shows.
  var knownExpiry: Plausibility.Expiry {
    if metaCount < MetaInfo.byteCount || saysNothing { return .unknown }
    // The flag may be missing: a rewrite that adds a suffix to every value sets it only at its end.
    return meta.hasExpiry ? .suffix : .unknown
  }
}
