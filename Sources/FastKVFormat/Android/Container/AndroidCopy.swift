import KVBytes
import KVModel
import SystemPackage

/// One copy of the log: its file, its header, its records, and what the engine thinks of it.
struct AndroidCopy: Sendable {
  /// The sizes that a file has when the engine has just cleared it: one page.
  private static let clearedCounts: Set<Int> = [AndroidHeader.byteCount, 4096, 16384]

  let file: StoreFile
  let header: AndroidHeader
  let decoded: DecodedCopy
  /// The data by the header, or nothing when so many bytes are not there.
  let log: Extent?
  /// The header's checksum held against the data.
  let claim: ChecksumClaim?
  /// Whether the checksum holds and every record is one that the engine reads.
  let isTaken: Bool
  /// Whether the records say the contrary of the header's bit for encryption.
  let hasWrongBit: Bool
  /// How many entries the engine steps over or shows.
  let recordCount: Int
  /// The first record that makes the engine drop the copy though its checksum holds.
  let refused: Extent?

  /// Where bytes were put right from another copy; empty where none were.
  let corrected: [Int]

  /// Reads the copy in `file`, or what it is when put right.
  init(_ file: StoreFile, _ cipher: (any FastKVCipher)?, corrected merge: CopyMerge? = nil) {
    self.file = file
    let image = merge?.image ?? file.image
    corrected = merge?.offsets ?? []
    let header = AndroidHeader(of: image)
    self.header = header
    let area = min(AndroidHeader.byteCount, image.count)..<image.count
    let log = header.count.flatMap { count in
      image.count >= AndroidHeader.byteCount && count <= area.count
        ? Extent(file.role, area.lowerBound..<area.lowerBound + count) : nil
    }
    self.log = log
    claim = log.map { log in
      var lanes = XORLanes()
      lanes.update(image.span, in: log.range)
      return ChecksumClaim(
        .xorLanes, over: log, stored: header.checksum,
        at: Extent(file.role, AndroidHeader.checksumField), computed: lanes.value)
    }
    let isSatisfied = claim?.isSatisfied ?? false
    // Not by the header alone: no checksum covers its bit.
    let isEncrypted = ContentGuess(image, in: log?.range ?? area, cipher, header).isEncrypted
    if isEncrypted {
      // A whole log and what is behind it are read apart, so that neither disturbs the other.
      let parts =
        log.map { [$0.range, $0.end..<image.count] }?.filter { !$0.isEmpty } ?? [area]
      decoded = DecodedCopy(
        encrypted: image, as: file.role, cipher, parts: isSatisfied ? parts : [area])
    } else {
      decoded = DecodedCopy(plain: image, as: file.role)
    }
    var isWhole =
      isSatisfied && !(isEncrypted && cipher == nil)
      && (isEncrypted == header.isEncrypted || log?.count == 0)
    hasWrongBit = !header.isBeingWritten && isEncrypted != header.isEncrypted && log?.count ?? 0 > 0
    var count = 0
    var refused: Extent?
    if isWhole, let log {
      let judge = RecordJudge(copy: decoded)
      var end = log.offset
      for shape in AndroidShapes(image, in: log.range) {
        switch judge.verdict(on: shape) {
        case .whole, .skipped: count += 1
        case .refused, .broken:
          isWhole = false
          refused = refused ?? Extent(file.role, shape.range)
        }
        end = shape.range.upperBound
      }
      if end != log.end {
        isWhole = false
        refused = refused ?? Extent(file.role, end..<log.end)
      }
    }
    isTaken = isWhole
    recordCount = count
    self.refused = refused
  }

  /// The bytes behind the header.
  var area: Extent {
    Extent(
      file.role, min(AndroidHeader.byteCount, file.image.count)..<file.image.count)
  }

  /// Whether the copy states that it is empty in a way that the engine never does: with more in it
  /// than a page, or in the file of the blocking modes, which is as long as its data.
  var isBlankByDamage: Bool {
    guard header.isBlank, !file.image.isZero(in: area.range) else { return false }
    return file.role == .copyC
      ? file.image.count > AndroidHeader.byteCount
      : !AndroidCopy.clearedCounts.contains(file.image.count)
  }

  /// Whether the stored checksum vouches for the log, or says that the store was emptied.
  var isVouchedFor: Bool { (claim?.isSatisfied ?? false) && !isBlankByDamage }

  /// What the header says about where the log ends.
  func account(_ role: LogAccount.Role) -> LogAccount {
    let name = file.path.lastComponent?.string ?? ""
    if header.isBeingWritten || isBlankByDamage {
      return LogAccount(
        role, origin: "the header of \(name)", count: 0,
        statedAt: statedAt, log: Extent(file.role, area.offset..<area.offset),
        digest: isBlankByDamage ? nil : header.checksum, algorithm: .xorLanes, claim: nil)
    }
    return LogAccount(
      role, origin: "the header of \(name)", count: header.count ?? 0,
      statedAt: statedAt, log: log, digest: header.checksum, algorithm: .xorLanes, claim: claim,
      isCorrected: !corrected.isEmpty)
  }

  private var statedAt: Extent {
    Extent(file.role, 0..<min(AndroidHeader.countField.upperBound, file.image.count))
  }
}

/// Whether records are encrypted, told from them and not from the header, which may be damaged.
struct ContentGuess {
  /// How many bytes are looked at.
  private static let sampleCount = 1 << 16
  /// How many plausible records in a row from the start are enough.
  private static let chainCount = 16

  let isEncrypted: Bool

  init(
    _ image: FileImage, in area: Range<Int>, _ cipher: (any FastKVCipher)?, _ header: AndroidHeader
  ) {
    let written = area.lowerBound..<(image.lastNonzero(in: area).map { $0 + 1 } ?? area.lowerBound)
    let sample = written.clamped(to: area.lowerBound..<area.lowerBound + Self.sampleCount)
    func score(_ plausibility: AndroidPlausibility) -> Int {
      let gaps = AndroidResynchronizer(image, .data, plausibility).gaps(in: sample)
      return AndroidShapes(image, in: sample, around: gaps).reduce(0) {
        $0 + (plausibility.accepts($1) ? $1.range.count : 0)
      }
    }
    let stated =
      header.isEncrypted
      ? AndroidPlausibility(image, encryptedBy: cipher) : AndroidPlausibility(image)
    let first = AndroidShapes(image, in: area).prefix(Self.chainCount)
    if first.contains(where: { _ in true }), first.allSatisfy({ stated.accepts($0) }) {
      isEncrypted = header.isEncrypted
      return
    }
    let own = score(stated)
    let plain = header.isEncrypted ? score(AndroidPlausibility(image)) : own
    let encrypted =
      header.isEncrypted ? own : score(AndroidPlausibility(image, encryptedBy: cipher))
    // Under another key nothing decrypts, and the lengths alone must tell.
    let lengths = cipher == nil ? encrypted : score(AndroidPlausibility(image, encryptedBy: nil))
    // In random bytes one reading or the other finds something.
    let best = max(encrypted, lengths / 2)
    isEncrypted =
      header.isEncrypted
      ? best * 4 >= plain || plain * 8 < sample.count : best > plain * 4 && best * 8 > sample.count
  }
}
