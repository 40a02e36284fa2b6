import KVBytes
import KVModel

/// What is believed about a copy, whatever the others show.
extension AndroidCopy {
  /// The sizes that a file can have after the engine has cleared it: a bare header or one page.
  private static let clearedCounts: Set<Int> = [AndroidHeader.byteCount, 4096, 16384]

  /// Returns the copy with the log that its checksum verifies although the header states another
  /// length, and the answer whether its highest bits are gone.
  ///
  /// - Complexity: O(size of the file).
  func judged() -> AndroidCopy {
    var copy = self
    if !isTaken, corrected == nil, decoded.isReadable {
      copy.whole = WholeLog.proven(decoded, in: area.range, by: header.checksum)
    }
    if let whole = copy.whole, !decoded.isEncrypted {
      copy.lacksHighBits = HighBits.areCleared(in: decoded.stored, whole.range)
    }
    return copy
  }

  /// Whether the checksum matches over records that do not decode: changes cancel out in the lanes,
  /// so the match verifies nothing.
  ///
  /// Zeros after a log do not change its checksum.
  var isAccidental: Bool {
    whole == nil && survey?.isBroken ?? false
  }

  /// Whether the records contradict the header's encryption bit.
  var hasWrongBit: Bool {
    !header.isBeingWritten && decoded.isEncrypted != header.isEncrypted && log?.count ?? 0 > 0
  }

  /// Whether the header states an empty store in a way that the engine never does.
  ///
  /// That is the case in a `.kva` or `.kvb` of an unusual size, unless a compaction removed all
  /// records; in a `.kvc` longer than its header, as the engine makes that file as long as its data;
  /// and over encrypted records if the encryption bit is clear, as an app with a cipher sets it when
  /// it clears the store.
  var isBlankByDamage: Bool {
    guard header.isBlank, file.image.count >= AndroidHeader.byteCount else { return false }
    return file.role == .copyC
      ? file.image.count > AndroidHeader.byteCount
      : !AndroidCopy.clearedCounts.contains(file.image.count) && !isCompactedToNothing
        || decoded.isEncrypted && decoded.cipher != nil && !header.isEncrypted
  }

  /// Whether the bytes after the header begin with enough deleted records for a compaction, which
  /// leaves the file as long as it was or cuts off the end of a long record.
  ///
  /// When it has removed all records, nothing has been moved over them. Remains of an older log can
  /// follow, which look like those of a store whose header was zeroed, unless the engine would have
  /// compacted that store.
  private var isCompactedToNothing: Bool {
    var deleted = DeletedRecords()
    var end = area.offset
    for shape in AndroidShapes(decoded.stored, in: area.range) {
      guard shape.isStruck else { return deleted.leadToCompaction }
      deleted.add(byteCount: shape.range.count)
      end = shape.range.upperBound
    }
    if AndroidRecordShape.isDeletedAndCut(decoded.stored.storageSpan, at: end, limit: area.end) {
      deleted.add(byteCount: area.end - end)
    }
    return deleted.sufficeForCompaction
  }

  /// Whether nonzero bytes follow the log of a `.kvc`.
  ///
  /// FastKV makes that file as long as its log, so either the header or the rest is from another
  /// time.
  var hasTail: Bool {
    guard file.role == .copyC, let whole else { return false }
    return decoded.stored.lastNonzero(in: whole.end..<file.image.count) != nil
  }

  /// The log up to the end of the file, if the header's log ends earlier and a record follows
  /// directly.
  var extendedLog: Extent? {
    guard hasTail, let whole,
      case .success(let next) = AndroidRecordShape.read(
        decoded.stored.storageSpan, at: whole.end, limit: area.end),
      decoded.isPlausible(next)
    else { return nil }
    return Extent(file.role, area.offset..<area.end)
  }

  /// The intact log, or else the stated log if all its records are plausible, whatever the checksum
  /// says.
  var believed: Extent? { whole ?? (decodes ? log : nil) }

  /// Whether every record of the stated log is plausible, whatever the checksum says.
  ///
  /// - Complexity: O(count of the log).
  var decodes: Bool {
    guard let log, log.count > 0, decoded.isReadable else { return false }
    var trial = LogTrial(decoded.stored.bytes, log.range, decoded.fullTest, budget: log.count)
    return trial.decodes()
  }

  /// The number of plausible records that can be read from the file, past damage.
  ///
  /// - Complexity: O(size of the file).
  var plausibleCount: Int {
    let (image, test) = (decoded.stored, decoded.test)
    let gaps = AndroidGrammar(image, file.role, test).gaps(in: area.range)
    return AndroidShapes(image, in: area.range, around: gaps).reduce(0) {
      $0 + (test.accepts($1, image.storageSpan) ? 1 : 0)
    }
  }

  /// Whether the copy is intact, or its header states a log and there are nonzero bytes after the
  /// header.
  ///
  /// FastKV empties both copies of the pair, A first. So if one copy is empty and the other states
  /// a log, either the other is intact or one of the two is damaged.
  var hasOrStatesLog: Bool {
    if whole != nil { return true }
    return file.image.count >= AndroidHeader.byteCount && !header.isBlank
      && file.image.lastNonzero(in: area.range) != nil
  }

  /// Whether the copy is what the blocking modes write for an empty store: a blank header and
  /// nothing else.
  var isHonestlyEmpty: Bool {
    file.role == .copyC && header.isBlank && file.image.count == AndroidHeader.byteCount
  }

  /// Whether the stored checksum verifies the log, or the header states an empty store credibly.
  var isVerified: Bool { stated.isVerified && !isBlankByDamage }

  /// Returns the claim about where the log ends: the header's, or `likelyEnd` if the records say
  /// otherwise.
  ///
  /// `choice` is the rule by which the copy was preferred to others, if there was one.
  func lengthClaim(
    _ role: LengthClaim.Role, likelyEnd: Int? = nil, choice: RuleID? = nil
  ) -> LengthClaim {
    if let extendedLog {
      // The checksum covers the log that the header states, not what follows it.
      return LengthClaim(
        role, origin: "size of \(name)", count: extendedLog.count, statedAt: statedAt,
        log: extendedLog, digest: nil, algorithm: .xorLanes, checksum: nil,
        foundBy: AndroidLogEnd.id, isEndUnverified: true)
    }
    if let likelyEnd {
      let log = Extent(file.role, area.offset..<min(likelyEnd, area.end))
      return LengthClaim(
        role, origin: "end of the records in \(name)", count: log.count, statedAt: statedAt,
        log: log, digest: header.isBlank ? nil : header.checksum, algorithm: .xorLanes,
        // A match is about the log that the header states, which may be empty.
        checksum: claim.flatMap { $0.isSatisfied && $0.covered != log ? nil : $0 },
        foundBy: AndroidLogEnd.id, isEndUnverified: true)
    }
    if header.isBeingWritten || isBlankByDamage {
      return LengthClaim(
        role, origin: "length in the header of \(name)", count: 0,
        statedAt: statedAt, log: Extent(file.role, area.offset..<area.offset),
        digest: isBlankByDamage ? nil : header.checksum, algorithm: .xorLanes, checksum: nil)
    }
    return headerClaim(role, choice: choice)
  }
}
