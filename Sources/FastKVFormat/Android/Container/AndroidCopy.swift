import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// One copy of the log: its file, its header, its records, and what the engine thinks of it.
struct AndroidCopy: Sendable {
  /// The sizes that a file has when the engine has just cleared it: one page.
  private static let clearedCounts: Set<Int> = [AndroidHeader.byteCount, 4096, 16384]

  let file: StoreFile
  /// How bytes were corrected; `nil` where none were.
  let corrected: Correction?
  /// What the header says.
  let stated: CopyClaim
  /// The bytes, with the cipher taken off.
  let decoded: DecodedCopy
  /// What the engine makes of the records; `nil` where it reads none.
  let survey: LogSurvey?
  /// What the copy turns out to be.
  let judgement: CopyJudgement

  /// Reads the copy in `file`, or what it is when corrected.
  init(_ file: StoreFile, _ cipher: (any FastKVCipher)?, corrected: Correction? = nil) {
    self.file = file
    self.corrected = corrected
    let image = corrected.map { file.image.applying($0.edits, of: file.role) } ?? file.image
    // A correction without proof makes nothing hold.
    stated = CopyClaim(
      of: image, file.role, against: corrected?.isProven ?? true ? image : file.image)
    decoded = DecodedCopy(image, stated, cipher)
    survey = LogSurvey(decoded, stated)
    judgement = CopyJudgement(stated, decoded, survey, isCorrected: corrected != nil)
  }

  var header: AndroidHeader { stated.header }
  /// The bytes after the header.
  var area: Extent { stated.area }
  /// The data by the header, or `nil` when so many bytes are not there.
  var log: Extent? { stated.log }
  /// The header's checksum held against the data.
  var claim: ChecksumClaim? { stated.checksum }

  /// Whether the checksum holds and every record is one that the engine reads.
  var isTaken: Bool { if case .taken = judgement { true } else { false } }

  /// The log that a checksum verifies and whose records the engine could all read, also where the
  /// header has no length for it; `nil` where there is none, or it is empty.
  var whole: Extent? { judgement.whole }

  /// Whether the records say the contrary of the header's bit for encryption.
  var hasWrongBit: Bool {
    !header.isBeingWritten && decoded.isEncrypted != header.isEncrypted && log?.count ?? 0 > 0
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
    guard let log, log.count > 0, decoded.isReadable else { return false }
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
  var isVerified: Bool { stated.isVerified && !isBlankByDamage }

  /// What the header says about where the log ends, or what the records say where that is likelier;
  /// `choice` is the rule by which the copy was preferred to others, if one was.
  func lengthClaim(
    _ role: LengthClaim.Role, likelyEnd: Int? = nil, choice: RuleID? = nil
  ) -> LengthClaim {
    let name = file.path.lastComponent?.string ?? ""
    if let extendedLog {
      // The checksum speaks for the log that the header states, and not for what follows.
      return LengthClaim(
        role, origin: "the size of \(name)", count: extendedLog.count, statedAt: statedAt,
        log: extendedLog, digest: nil, algorithm: .xorLanes, checksum: nil,
        foundBy: AndroidLogEnd.id, isEndUnverified: true)
    }
    if let likelyEnd {
      let log = Extent(file.role, area.offset..<min(likelyEnd, area.end))
      return LengthClaim(
        role, origin: "the records of \(name)", count: log.count, statedAt: statedAt, log: log,
        digest: header.isBlank ? nil : header.checksum, algorithm: .xorLanes, checksum: claim,
        foundBy: AndroidLogEnd.id, isEndUnverified: true)
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
      digest: corrected?.isProven ?? true ? header.checksum : nil, algorithm: .xorLanes,
      checksum: claim, correctedBy: corrected?.rule, foundBy: choice)
  }

  private var statedAt: Extent {
    Extent(file.role, 0..<min(AndroidHeader.countField.upperBound, file.image.count))
  }
}
