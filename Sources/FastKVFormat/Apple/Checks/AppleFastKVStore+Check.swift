import KVBytes
package import KVModel

extension AppleFastKVStore {
  /// Returns the findings about the file.
  package func check() -> [Finding] {
    checkHeader() + (checkLength().map { [$0] } ?? []) + checkDialect() + checkOpening()
      + checkSlack() + checkGrowth() + checkCorrections()
      + AppleRecordChecks(self).findings()
  }

  private func checkHeader() -> [Finding] {
    let whole = Extent(.data, image.range)
    if image.count < AppleHeader.byteCount {
      return [
        Finding(
          AppleFindings.headerCut, at: whole,
          image.count == 0
            ? "the file is empty: its contents were lost, or nothing was ever written"
            : "the file has \(image.count.grouped) of the \(AppleHeader.byteCount.grouped) bytes of its header"
              + (image.count == 1
                ? "; FastKV 0.2.0 leaves such a file if the app ends before its first write" : ""))
      ]
    }
    var findings: [Finding] = []
    if !header.hasMagic {
      findings.append(
        Finding(
          AppleFindings.magic, at: Extent(.data, AppleHeader.Field.magic),
          "the file does not begin with FastKV: \(AppleHeader.magic.count - header.magicMatchCount) of "
            + "\(AppleHeader.magic.count) bytes wrong"))
    }
    if header.version != AppleHeader.currentVersion {
      findings.append(
        Finding(
          AppleFindings.version, at: Extent(.data, AppleHeader.Field.version),
          "the version is \(header.version); every engine writes 1 and ignores the field"))
    }
    return findings
  }

  private func checkLength() -> Finding? {
    guard image.count >= AppleHeader.byteCount, let judgement = evidence?.judgement else {
      return nil
    }
    let field = Extent(.data, AppleHeader.Field.length)
    let says = "the header's length is \(header.length.inBytes)"
    let other = judgement.end.map { $0.offset - AppleHeader.byteCount }
    let instead = other.map { "; the records end after \($0.grouped)" } ?? ""
    switch judgement.verdict {
    case .fits: return nil
    case .undecided(_, let count):
      return Finding(
        AppleFindings.recordsAfterLog, at: field,
        "\(says), but \(count.grouped) whole \(count == 1 ? "record follows" : "records follow"), of an "
          + "earlier launch or newer than the header; that they are "
          + (other == nil ? "older" : "newer") + " is likelier")
    case .emptied:
      return Finding(
        AppleFindings.keysComeBack, at: field,
        "\(says), but records follow: removeAllKeys does not reset the app's write "
          + "position, so its next write brings them all back")
    case .tooShort(let count):
      return Finding(
        AppleFindings.lengthTooShort, at: field,
        "\(says), but \(count.grouped) whole records that belong to the log follow: an unfinished append "
          + "or a damaged length\(instead)")
    case .tooLong:
      return Finding(
        AppleFindings.lengthTooLong, at: field,
        "\(says), but records from before a compaction are among them\(instead)")
    case .betweenBoundaries:
      return Finding(
        AppleFindings.lengthOffRecord, at: field,
        "\(says), but no record ends there\(instead)")
    case .beyondFile:
      return beyondFile(says, instead)
    }
  }

  private func beyondFile(_ says: String, _ instead: String) -> Finding {
    let field = Extent(.data, AppleHeader.Field.length)
    guard evidence?.judgement.end?.basis == .lowHalf else {
      return Finding(
        AppleFindings.lengthBeyondFile, at: field,
        "\(says), but only \(logArea.count.grouped) are present\(instead)")
    }
    return Finding(
      AppleFindings.lengthUpperHalf, at: field,
      "\(says); its low half, \(header.length & 0xffff_ffff), is right; its high half is "
        + "stack garbage from a 32-bit process")
  }

  private func checkDialect() -> [Finding] {
    guard dialectWitnessCount > 0 else { return [] }
    let log = logArea
    var findings: [Finding] = []
    if dialect.width == 4 {
      findings.append(
        Finding(
          AppleFindings.pointerWidth, at: log,
          "a 32-bit process wrote the file: \(dialectWitnessCount.counted("record has", "records have")) lengths, CRC and "
            + "separator that agree for 4-byte words, and none for 8-byte words. A 64-bit process that "
            + "opens it reads wrong lengths, and crashes or destroys it"))
    }
    if dialect.separator != .whole {
      findings.append(
        Finding(
          AppleFindings.oldSeparator, at: log,
          "an engine before 0.2.1 wrote the file: the separator is \(dialect.separator.rawValue); "
            + "current engines find no record in it and set its length to 0"))
    }
    return findings
  }

  private func checkOpening() -> [Finding] {
    switch AppleLoadModel(applying([])).ending {
    case .raised(let reason, let range):
      [
        Finding(
          AppleFindings.raises, at: Extent(.data, range),
          "the app will end with \(EngineError.exception) at each launch: \(reason)")
      ]
    case .crashed(let reason, let range):
      [
        Finding(
          AppleFindings.overruns, at: Extent(.data, range),
          "the app will crash or read out of bounds at each launch: \(reason)")
      ]
    case .refused(let error):
      [
        Finding(
          AppleFindings.refused,
          at: Extent(.data, 0..<min(AppleHeader.byteCount, image.count)),
          "the engine rejects the file with \(error.name)")
      ]
    case nil: []
    }
  }

  /// Returns a finding about a file that was extended at launch after launch.
  private func checkGrowth() -> [Finding] {
    let used = lengthClaims.last?.log?.end ?? image.count
    guard image.count >= 4 << 20, used < image.count / 8 else { return [] }
    return [
      Finding(
        AppleFindings.growth, at: Extent(.data, used..<image.count),
        "\(used.grouped) of \(image.count.counted("byte is", "bytes are")) used: by default, the engine doubles the file "
          + "at each launch")
    ]
  }

  private func checkCorrections() -> [Finding] {
    let log = lengthClaims.last?.log ?? logArea
    return corrections.compactMap { correction in
      guard let first = correction.changes.first?.offset,
        let last = correction.changes.last?.offset, let odds = correction.odds
      else { return nil }
      let changed = first..<last + 1
      return Finding(
        AppleFindings.corrected, log.range.overlaps(changed) ? .damage : .note,
        at: Extent(.data, changed),
        "\(correction.reason); coincidence odds \(odds.text)"
          + (odds.isProven
            ? "" : odds.isLikely ? ": likely but not proven" : ": possible but not likely"),
        odds: odds
      ).following(from: [correction.rule])
    }
  }

  private func checkSlack() -> [Finding] {
    guard let log = lengthClaims.last?.log, evidence?.judgement.verdict != .emptied,
      let last = image.lastNonzero(in: log.end..<image.count)
    else { return [] }
    let used = log.end..<last + 1
    return [
      Finding(
        AppleFindings.slackContent, at: Extent(.data, used),
        "\(used.count.inBytes) of slack after the log contain other data, readable by anyone who has the "
          + "file")
    ]
  }
}
