import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// One copy of the log: its file, its header, its records, and what the engine thinks of it.
struct AndroidCopy: Sendable {
  /// The sizes that a file has when the engine has just cleared it: one page.
  private static let clearedCounts: Set<Int> = [AndroidHeader.byteCount, 4096, 16384]

  let file: StoreFile
  let header: AndroidHeader
  let decoded: DecodedCopy
  /// The data by the header, or `nil` when so many bytes are not there.
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
  /// Whether the checksum holds over records that do not decode: what was changed cancels out in the
  /// lanes, so that they speak for nothing else either.
  let isChainBroken: Bool
  /// What the engine left of large objects, between records that are whole; see ``StrayBytes``.
  let strays: [Range<Int>]

  /// The log that a checksum verifies and whose records the engine could all read, also where the
  /// header has no length for it; `nil` where there is none, or it is empty.
  let whole: Extent?
  /// How bytes were corrected; `nil` where none were.
  let corrected: Correction?

  /// Reads the copy in `file`, or what it is when corrected.
  init(_ file: StoreFile, _ cipher: (any FastKVCipher)?, corrected: Correction? = nil) {
    self.file = file
    self.corrected = corrected
    let image = corrected?.image ?? file.image
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
      // A correction without proof makes nothing hold.
      let claimed = corrected?.odds.isProven ?? true ? image : file.image
      lanes.update(claimed.storageSpan, in: log.range)
      return ChecksumClaim(
        .xorLanes, over: log, stored: header.checksum,
        at: Extent(file.role, AndroidHeader.checksumField), computed: lanes.value)
    }
    let isSatisfied = claim?.isSatisfied ?? false
    // Not by the header alone: no checksum covers its bit. After a blank header all is looked at.
    let isBlank = header.isBlank && cipher != nil
    let isEncrypted = ContentGuess(
      image, in: isBlank ? area : log?.range ?? area, cipher, header, isLog: isSatisfied && !isBlank
    ).isEncrypted
    if isEncrypted {
      // A whole log and what is after it are read apart, so that neither disturbs the other.
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
    var isBroken = false
    if isWhole, let log {
      let judge = RecordJudge(copy: decoded)
      var end = log.offset
      for shape in AndroidShapes(image, in: log.range) {
        switch judge.verdict(on: shape) {
        case .whole, .skipped: count += 1
        case .refused, .broken:
          isWhole = false
          isBroken = isBroken || judge.verdict(on: shape) == .broken
          refused = refused ?? Extent(file.role, shape.range)
        }
        end = shape.range.upperBound
      }
      if end != log.end {
        isWhole = false
        isBroken = true
        refused = refused ?? Extent(file.role, end..<log.end)
      }
    }
    var strays: [Range<Int>] = []
    if isBroken, isEncrypted == (decoded.cipher != nil), let log {
      strays = StrayBytes.ranges(in: decoded, log.range)
    }
    self.strays = strays
    isTaken = isWhole
    recordCount = count
    self.refused = refused
    if isWhole {
      whole = log.flatMap { $0.count > 0 ? $0 : nil }
    } else {
      whole =
        corrected != nil || isEncrypted && cipher == nil
        ? nil
        : WholeLog.proven(decoded, in: area, by: header.checksum, statedEnd: log?.end)
    }
    // Zeros after a log cost its checksum nothing.
    isChainBroken = isBroken && strays.isEmpty && whole == nil
  }

  /// The bytes after the header.
  var area: Extent {
    Extent(
      file.role, min(AndroidHeader.byteCount, file.image.count)..<file.image.count)
  }

  /// Whether the copy states that it is empty in a way that the engine never does: with more than a
  /// page, zeros or not, or in the file of the blocking modes, which is as long as its data, or without
  /// the bit for encryption over encrypted records, which an app that has their cipher sets in clearing.
  var isBlankByDamage: Bool {
    guard header.isBlank, file.image.count >= AndroidHeader.byteCount else { return false }
    return file.role == .copyC
      ? file.image.count > AndroidHeader.byteCount
      : !AndroidCopy.clearedCounts.contains(file.image.count)
        || decoded.isEncrypted && decoded.cipher != nil && !header.isEncrypted
  }

  /// Whether bytes that are not zero stand after the log of a file of the blocking modes, which FastKV makes
  /// as long as its log: the header, or the rest, is of another time.
  var hasTail: Bool {
    guard file.role == .copyC, let whole else { return false }
    return decoded.stored.lastNonzero(in: whole.end..<file.image.count) != nil
  }

  /// The log up to the end of the file, where the header's ends before it and a record follows at once.
  var extendedLog: Extent? {
    guard hasTail, let whole,
      case .success(let next) = AndroidRecordShape.read(
        decoded.stored.storageSpan, at: whole.end, limit: area.end),
      RecordTest(isEncrypted: decoded.isEncrypted, cipher: decoded.cipher)
        .passes(next, decoded.stored.storageSpan)
    else { return nil }
    return Extent(file.role, area.offset..<area.end)
  }

  /// The log that holds, or of which each record is one that an app wrote, whatever the checksum says.
  var believed: Extent? { whole ?? (decodes ? log : nil) }

  /// Whether each record of the log is one that an app wrote, whatever the checksum says.
  ///
  /// - Complexity: O(count of the log).
  var decodes: Bool {
    guard let log, log.count > 0, decoded.cipher != nil || !decoded.isEncrypted else {
      return false
    }
    var trial = LogTrial(
      decoded.stored.bytes, log.range,
      RecordTest(isEncrypted: decoded.isEncrypted, cipher: decoded.cipher), budget: log.count)
    return trial.decodes()
  }

  /// Whether the copy has a log that holds, or a header that states one, and bytes where it was.
  ///
  /// FastKV empties both copies of the pair, A first, so that a copy that states a log beside an empty one
  /// holds, or one of the two is damaged.
  var hasOrStatesLog: Bool {
    if whole != nil { return true }
    return file.image.count >= AndroidHeader.byteCount && !header.isBlank
      && file.image.lastNonzero(in: area.range) != nil
  }

  /// Whether the copy is what the blocking modes write for an empty store: a header and nothing else.
  var isHonestlyEmpty: Bool {
    file.role == .copyC && header.isBlank && file.image.count == AndroidHeader.byteCount
  }

  /// Whether the stored checksum verifies the log, or says that the store was emptied.
  var isVerified: Bool { (claim?.isSatisfied ?? false) && !isBlankByDamage }

  /// What the header says about where the log ends, or what the records say where that is likelier.
  func lengthClaim(_ role: LengthClaim.Role, likelyEnd: Int? = nil) -> LengthClaim {
    let name = file.path.lastComponent?.string ?? ""
    if let extendedLog {
      // The checksum speaks for the log that the header states, and not for what follows.
      return LengthClaim(
        role, origin: "the size of \(name)", count: extendedLog.count, statedAt: statedAt,
        log: extendedLog, digest: nil, algorithm: .xorLanes, checksum: nil, isEndUnverified: true)
    }
    if let likelyEnd {
      let log = Extent(file.role, area.offset..<min(likelyEnd, area.end))
      return LengthClaim(
        role, origin: "the records of \(name)", count: log.count, statedAt: statedAt, log: log,
        digest: header.isBlank ? nil : header.checksum, algorithm: .xorLanes, checksum: claim,
        isEndUnverified: true)
    }
    if header.isBeingWritten || isBlankByDamage {
      return LengthClaim(
        role, origin: "the header of \(name)", count: 0,
        statedAt: statedAt, log: Extent(file.role, area.offset..<area.offset),
        digest: isBlankByDamage ? nil : header.checksum, algorithm: .xorLanes, checksum: nil)
    }
    return LengthClaim(
      role, origin: "the header of \(name)", count: header.count ?? 0,
      statedAt: statedAt, log: log,
      // No end is proven by a checksum that was fitted to what is believed.
      digest: corrected?.odds.isProven ?? true ? header.checksum : nil, algorithm: .xorLanes,
      checksum: claim, correctedBy: corrected?.source.rule.id)
  }

  private var statedAt: Extent {
    Extent(file.role, 0..<min(AndroidHeader.countField.upperBound, file.image.count))
  }
}
