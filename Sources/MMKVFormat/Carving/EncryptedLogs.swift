import KVBytes
import KVCryptography
import KVModel
import KVSystem

/// Finds encrypted logs, and parts of them, that no meta file describes, with keys that are known.
///
/// Each block of a log is decrypted by the one before it: only the first needs the vector, which is in
/// the meta file. Blocks begin four bytes after the start of each sector, in whichever part of a file
/// it is. So all bytes that may be encrypted are decrypted, and searched for records.
struct EncryptedLogs: Codable, Sendable {
  /// The number of bytes of a sector that are examined, and how many of them differ in noise.
  ///
  /// On average, these are 57; of Base64, 40.
  static let (sampleCount, noiseCount) = (64, 48)
  /// The number of bytes after a window that a record in it may have.
  private static let overlap = 1 << 16
  /// The largest number of bytes that do not decode between records of one log.
  private static let gapLimit = 512
  /// The largest number of runs, which limits memory.
  private static let runLimit = 1 << 16
  /// How much likelier than a coincidence records must be, in bits.
  private static let leastBits = 8.0
  /// How much rarer the size in a header is where no file begins, in bits.
  private static let headerBits = 8.0

  /// Records that follow each other, but for a few bytes.
  private struct Run: Codable, Sendable {
    var range: Range<Int>
    var count: Int
    /// Whether each key has a value, by its hash.
    var isLive: [UInt64: Bool]
    var bits: Double
    /// Where the data file begins; `nil` if its beginning is not there.
    let fileStart: Int?
    /// The key, as a position in ``keys``.
    let key: Int
  }

  /// The keys, each with the number that it has for the user.
  private var keys: [(key: MMKVKey, number: Int)] = []
  private var seed = UInt64.random(in: 0 ... .max)
  private var runs: [Run] = []
  /// The last run of each key, as a position in ``runs``.
  private var last: [Int?]
  /// How many offsets are tried, as the log2 of their number.
  private var trialBits = 0.0
  private var budget = CarvingBudget()

  private enum CodingKeys: CodingKey { case seed, runs, last, trialBits, budget }

  /// Creates a search with `secrets`, keys for AES-128 and AES-256 or, if it is known, one of them.
  init(_ secrets: [[UInt8]], isAES256: Bool?) {
    keys = secrets.enumerated().flatMap { index, secret in
      (isAES256.map { [$0] } ?? [false, true]).map { (MMKVKey(secret, isAES256: $0), index + 1) }
    }
    last = keys.map { _ in nil }
  }

  /// Takes over the keys of `other`.
  mutating func learn(from other: EncryptedLogs) { keys = other.keys }

  /// Whether a search of a source of `count` bytes with these keys can have found what was decoded.
  func isSound(in count: Int) -> Bool {
    last.count == keys.count && last.allSatisfy { $0.map(runs.indices.contains) ?? true }
      && runs.allSatisfy { run in
        keys.indices.contains(run.key) && run.range.upperBound <= count && !run.range.isEmpty
          && run.fileStart ?? Cryptography.blockCount + DataHeader.byteCount
            <= run.range.lowerBound
      }
  }

  /// Whether there was more to decrypt than is worth the time.
  var isLimited: Bool { budget.isExceeded }

  /// Returns the number of keys with a value in the log that `image` holds from its first byte on, if
  /// it decodes with one of the keys and the vector in `meta`.
  func entryCount(_ image: FileImage, _ meta: CarvedMeta) -> Int? {
    for (key, _) in keys {
      let cipher = meta.vector.map { PayloadCipher(key, vector: $0) }
      guard let plain = (cipher ?? PayloadCipher(key, vector: key.impliedVector)).decrypting(image)
      else { return nil }
      let chain = CarvedChain(plain, at: 0, limit: plain.count)
      if chain.count > 0, chain.end == plain.count { return chain.entryCount }
    }
    return nil
  }

  /// Searches the bytes of `window` that may be encrypted.
  mutating func examine(_ window: CarvingWindow) throws(FileError) {
    guard !keys.isEmpty else { return }
    trialBits = Logarithm.base2(Double(max(1, window.source.count) * keys.count))
    let sector = CarvingWindow.sectorCount
    let count = window.image.count
    var first: Int?
    for offset in stride(from: 0, to: count + sector, by: sector) {
      if offset < count, Self.mayBeEncrypted(window.image, at: offset) {
        first = first ?? offset
      } else if let start = first {
        // The end of a log is in a sector that is no noise, or in the next window.
        let end = offset < count ? offset + sector : count + Self.overlap
        try search(start, end - start, window)
        first = nil
      }
    }
  }

  /// Returns whether the sector at `offset` may hold encrypted bytes: those of a whole sector, or of
  /// a short log.
  static func mayBeEncrypted(_ image: FileImage, at offset: Int) -> Bool {
    let start = offset + DataHeader.byteCount
    guard start + Cryptography.blockCount <= image.count else { return false }
    let bytes = image.storageSpan
    return isNoise(image, at: offset)
      || bytes.word(at: offset) & 0xffff_ffff <= CarvingWindow.logLimit
        && bytes.distinctCount(in: start..<start + Cryptography.blockCount) > 10
  }

  /// Returns whether the first bytes of a log in the sector at `offset` are as different as
  /// encrypted ones.
  static func isNoise(_ image: FileImage, at offset: Int) -> Bool {
    let start = offset + DataHeader.byteCount
    let sample = min(start, image.count)..<min(start + sampleCount, image.count)
    return image.storageSpan.distinctCount(in: sample) >= noiseCount
  }

  /// Decrypts `count` bytes from `start` of `window` on with each key.
  private mutating func search(
    _ start: Int, _ count: Int, _ window: CarvingWindow
  ) throws(FileError) {
    let base = window.start + start
    let stored = try window.bytes(at: base, count: count)
    for (index, (key, _)) in keys.enumerated() where budget.spend(count, of: window.source) {
      let cipher = PayloadCipher(key, vector: key.impliedVector)
      guard let plain = cipher.decrypting(stored) else { return }
      collect(index, plain, stored, at: base)
    }
  }

  /// Adds the runs of records in `plain`, which is at `base` of the source.
  private mutating func collect(
    _ key: Int, _ plain: FileImage, _ stored: FileImage, at base: Int
  ) {
    let end = last[key].map { runs[$0].range.upperBound } ?? 0
    var offset = max(DataHeader.byteCount + DataHeader.prefixCount, end - base)
    while offset < plain.count - 2 {
      guard let run = run(key, plain, from: offset, stored, at: base) else {
        offset += 1
        continue
      }
      add(run)
      offset = run.range.upperBound - base
    }
  }

  /// Returns the records from `start` of `plain` on, if they are no coincidence.
  private func run(
    _ key: Int, _ plain: FileImage, from start: Int, _ stored: FileImage, at base: Int
  ) -> Run? {
    guard let records = RecordRun(at: start, of: plain, upTo: plain.count) else { return nil }
    let sector = start / CarvingWindow.sectorCount * CarvingWindow.sectorCount
    let header = stored.storageSpan.word(at: min(sector, stored.count - 8)) & 0xffff_ffff
    let isFile = header <= CarvingWindow.logLimit && start - sector > DataHeader.byteCount
    guard isFile || start >= DataHeader.byteCount + Cryptography.blockCount else { return nil }
    let bits = records.bits - trialBits + (isFile ? Self.headerBits : 0)
    guard bits >= Self.leastBits else { return nil }
    var isLive: [UInt64: Bool] = [:]
    for shape in records.shapes {
      isLive[plain.storageSpan.hash(in: shape.key, seed: seed)] = !shape.value.isEmpty
    }
    return Run(
      range: base + start..<base + records.range.upperBound, count: records.shapes.count,
      isLive: isLive, bits: bits,
      fileStart: isFile ? base + sector : nil, key: key)
  }

  /// Adds `run`, which may continue the last one of its key.
  private mutating func add(_ run: Run) {
    if let index = last[run.key], run.fileStart == nil || run.fileStart == runs[index].fileStart,
      run.range.lowerBound - runs[index].range.upperBound <= Self.gapLimit
    {
      runs[index].range = runs[index].range.lowerBound..<run.range.upperBound
      runs[index].count += run.count
      runs[index].isLive.merge(run.isLive) { $1 }
      runs[index].bits = max(runs[index].bits, run.bits)
    } else if runs.count < Self.runLimit {
      last[run.key] = runs.count
      runs.append(run)
    }
  }

  /// Returns the stores of the runs.
  func stores() -> [CarvedStore] {
    runs.map { run in
      let (key, number) = keys[run.key]
      return CarvedStore(
        MMKVFormat.name, [Self.file(run)], .inferred,
        Probability(1 / (1 + Logarithm.power2(-run.bits))),
        because: "\(run.count.counted("record", "records")) after decryption with key \(number), "
          + key.cipherName,
        entryCount: run.isLive.values.count { $0 })
    }
  }

  /// Returns the data file of `run`.
  ///
  /// If its beginning is not there, it begins with the block before the first record's one, by which
  /// that is decrypted, and with a size before it.
  private static func file(_ run: Run) -> CarvedFile {
    let page = CarvingWindow.pageCount
    if let start = run.fileStart {
      let end = start + (run.range.upperBound - start + page - 1) / page * page
      return CarvedFile("", [start..<end], own: run.range.upperBound - start)
    }
    let block = Cryptography.blockCount
    let first = run.range.lowerBound - (run.range.lowerBound - DataHeader.byteCount) % block - block
    var writer = ByteWriter()
    writer.writeInteger(UInt32(truncatingIfNeeded: run.range.upperBound - first), as: .little)
    return CarvedFile("", [first..<run.range.upperBound], after: writer.bytes)
  }
}

extension Span<UInt8> {
  /// Returns how many of the bytes in `range` differ.
  func distinctCount(in range: Range<Int>) -> Int {
    var isThere = SIMD4<UInt64>()
    for offset in range { isThere[Int(self[offset] >> 6)] |= 1 << UInt64(self[offset] & 63) }
    return isThere.indices.reduce(0) { $0 + isThere[$1].nonzeroBitCount }
  }
}
