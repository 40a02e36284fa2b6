import KVBytes
package import KVModel
import KVSystem
import SystemPackage

extension AndroidFastKVStore {
  /// Returns the findings about the files, except those about single records.
  package func check() -> [Finding] {
    var findings: [Finding] = []
    if case .unreadable(let code, let reason) = access {
      findings.append(Finding(code, at: logArea, reason))
    }
    if cipher != nil, let primary, !primary.decoded.isEncrypted {
      findings.append(
        finding(
          AndroidFindings.keyNotNeeded, primary, primary.headerExtent,
          "the store is not encrypted; if the app opens it with this cipher, FastKV encrypts all entries"
        ))
    }
    return findings + copies.flatMap(check) + checkAmongCopies() + checkExternals()
      + unread.unreadFindings
  }

  func finding(
    _ code: FindingCode, as severity: Finding.Severity? = nil, _ copy: AndroidCopy?,
    _ extent: Extent?,
    _ message: String, odds: CoincidenceOdds? = nil
  ) -> Finding {
    let name = copy?.file.path.lastComponent?.string
    return Finding(
      code, severity, at: extent, (name.map { "\($0): " } ?? "") + message, odds: odds)
  }

  /// Returns what is wrong with one copy: damage in the primary copy and in a `.kvc`, which the pair
  /// does not repeat; a warning in any other.
  private func check(_ copy: AndroidCopy) -> [Finding] {
    let isPrimary = copy.file.role == primary?.file.role
    let severity: Finding.Severity =
      isPrimary || copy.file.role == .copyC ? .damage : .warning
    let count = copy.file.image.count
    let whole = Extent(copy.file.role, 0..<count)
    guard count >= AndroidHeader.byteCount else {
      return [
        finding(
          AndroidFindings.copyShort, as: count == 0 && !isPrimary ? .warning : .damage, copy, whole,
          count == 0
            ? "the file is empty"
            : "\(count.counted("byte is", "bytes are")) fewer than the \(AndroidHeader.byteCount.grouped) of a header; FastKV "
              + "throws an exception and ignores the other copy as well")
      ]
    }
    let isEndFound = isPrimary && lengthClaims.first?.isEndUnverified == true
    var findings = [checkLog(copy, severity)].compactMap {
      $0?.following(from: isEndFound ? [AndroidLogEnd.id] : [])
    }
    let unlikely = declinedCorrections.last {
      $0.changedFile == copy.file.role && !$0.isAcceptable
    }
    if let correction = unlikely {
      findings.append(checkUnlikely(copy, correction))
    }
    return findings + checkSlack(copy)
  }

  /// Returns what is wrong with the log of a copy that has a whole header, or with the header's
  /// claims.
  private func checkLog(_ copy: AndroidCopy, _ severity: Finding.Severity) -> Finding? {
    if let correction = copy.corrected { return checkCorrection(copy, correction) }
    if isLost(copy) {
      return finding(
        AndroidFindings.copyLost, copy, copy.area,
        "neither the header nor the \(copy.area.count.inBytes) after it are those of a store: nothing "
          + "of this copy is left, and the other one is intact")
    }
    if let found = checkHeader(copy, severity) { return found }
    if let claim = copy.claim, !claim.isSatisfied {
      return finding(
        AndroidFindings.checksumMismatch, as: severity, copy, claim.covered,
        "the \(claim.algorithm.rawValue) of \(claim.covered.count.inBytes) is "
          + "\(Hexadecimal.text(claim.computed, digits: 16)), but the header stores "
          + "\(Hexadecimal.text(claim.stored, digits: 16))")
    }
    if copy.hasWrongBit {
      return finding(
        AndroidFindings.encryptedBit, as: severity, copy, copy.headerExtent,
        "bit 30 of the length says that the data is "
          + "\(copy.header.isEncrypted ? "" : "not ")encrypted, "
          + "but the records show the opposite; FastKV drops the copy")
    }
    if copy.lacksHighBits {
      return finding(
        AndroidFindings.sevenBits, as: severity, copy, copy.log,
        "the checksum matches, but no byte of the file has its highest bit, although numbers and "
          + "arrays have many bytes that could have it: the file was probably transferred in seven bits"
      )
    }
    guard let refused = copy.survey?.refused, access == .readable else { return nil }
    return checkRefused(copy, refused, severity)
  }

  /// Returns what is wrong with a header that states no usable log.
  private func checkHeader(_ copy: AndroidCopy, _ severity: Finding.Severity) -> Finding? {
    let header = copy.header
    if header.isBeingWritten {
      return finding(
        AndroidFindings.beingWritten, as: severity, copy, copy.headerExtent,
        header.word == .max
          ? "the length is -1: the app was killed while it wrote this copy"
          : "the length is negative, which FastKV rejects")
    }
    if copy.isBlankByDamage || header.isBlank && hasOtherLog(copy) {
      return finding(
        AndroidFindings.headerBlank, as: isTakenByEngine(copy) ? .damage : .warning, copy,
        copy.headerExtent,
        "the header is all zeros, which FastKV accepts as a valid empty store"
          + (hasOtherLog(copy)
            ? "; it overwrites the other copy with it"
            : copy.isBlankByDamage
              ? ", but FastKV leaves a file of \(copy.file.image.count.inBytes) empty only "
                + "after it has deleted many records, which would be at its start"
              : ""))
    }
    guard copy.log == nil else { return nil }
    return finding(
      AndroidFindings.lengthBeyondFile, as: severity, copy, copy.headerExtent,
      "the length is \((header.count ?? 0).inBytes), but only \(copy.area.count.grouped) are present"
    )
  }

  /// Returns whether no record and no header is left of `copy`, although the other copy of the pair
  /// is intact and has records.
  ///
  /// However a write was interrupted, some of the records are left.
  private func isLost(_ copy: AndroidCopy) -> Bool {
    guard access == .readable, copy.file.role != .copyC, !copy.header.isBlank, !copy.isVerified,
      copy.file.image.lastNonzero(in: copy.area.range) != nil,
      copies.contains(where: {
        $0.file.role != copy.file.role && $0.file.role != .copyC && $0.whole != nil
      })
    else { return false }
    return copy.plausibleCount == 0
  }

  private func checkRefused(
    _ copy: AndroidCopy, _ refused: Extent, _ severity: Finding.Severity
  ) -> Finding {
    if case .success(let shape) = AndroidRecordShape.read(
      copy.decoded.stored.storageSpan, at: refused.offset, limit: refused.end),
      case .refused = RecordJudge(copy: copy.decoded).verdict(on: shape)
    {
      if shape.isDisplaced {
        return finding(
          AndroidFindings.largeObject, as: severity, copy, refused,
          "the new value of a large object was written two bytes early, over half of its length, a bug "
            + "in FastKV of 2025-07, which then drops the copy")
      }
      return finding(
        AndroidFindings.nulText, as: severity, copy, refused,
        "the checksum matches, but a key or short text contains U+0000 (or an object has no tag), so "
          + "FastKV drops the whole store")
    }
    return finding(
      AndroidFindings.chainBroken, as: severity, copy, refused,
      "the checksum matches, but the records do not decode from here on; FastKV drops the copy")
  }

  private func checkSlack(_ copy: AndroidCopy) -> [Finding] {
    guard let log = copy.log, copy.isVerified else { return [] }
    let image = copy.file.image
    guard let last = image.lastNonzero(in: log.end..<image.count) else { return [] }
    let used = Extent(copy.file.role, log.end..<last + 1)
    if copy.hasTail {
      return [
        finding(
          AndroidFindings.kvcTail, copy, used,
          "\(used.count.counted("byte follows", "bytes follow")) the log, although FastKV makes this file as long as its log: the "
            + "header is probably older than these bytes. FastKV does not read them"
            + (copy.extendedLog == nil ? "" : ". They begin with a record and are read here")
            + ", and every entry may be stale")
      ]
    }
    if copy.file.role == .copyA, used.count <= 8, used.count > 4, hasZeros(in: .copyB, used.range) {
      return [
        finding(
          AndroidFindings.changeMarker, copy, used,
          "\(used.count.inBytes) after the data of this copy only: the mark with which MPFastKV notifies "
            + "other processes of a change")
      ]
    }
    return [
      finding(
        AndroidFindings.slackContent, copy, used,
        "\(used.count.inBytes) of slack after the log contain old data, readable by anyone who has the "
          + "file")
    ]
  }

  private func hasZeros(in role: FileRole, _ range: Range<Int>) -> Bool {
    guard let image = copy(role)?.file.image, range.upperBound <= image.count else { return false }
    return image.isZero(in: range)
  }

  private func isTakenByEngine(_ copy: AndroidCopy) -> Bool {
    // As AndroidLoadModel: C comes first, then A, then B.
    switch copy.file.role {
    case .copyC: true
    case .copyA: self.copy(.copyC) == nil
    default: self.copy(.copyC) == nil && self.copy(.copyA)?.isTaken != true
    }
  }

  private func hasOtherLog(_ copy: AndroidCopy) -> Bool {
    copies.contains {
      $0.file.role != copy.file.role && $0.file.role != .copyC && copy.file.role != .copyC
        && $0.hasOrStatesLog
    }
  }
}
