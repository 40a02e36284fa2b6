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
            ? "the file is empty: its contents are gone, or nothing was ever written to it"
            : "the file has \(image.count.grouped) of the \(AppleHeader.byteCount.grouped) bytes of its header"
              + (image.count == 1
                ? "; 0.2.0 leaves such a file where an app ends before it writes" : ""))
      ]
    }
    var findings: [Finding] = []
    if !header.hasMagic {
      findings.append(
        Finding(
          AppleFindings.magic, at: Extent(.data, AppleHeader.Field.magic),
          "\(AppleHeader.magic.count - header.magicMatchCount) of the bytes that should be FastKV "
            + "are others"))
    }
    if header.version != AppleHeader.currentVersion {
      findings.append(
        Finding(
          AppleFindings.version, at: Extent(.data, AppleHeader.Field.version),
          "the version is \(header.version); every engine writes 1, and none looks at it"))
    }
    return findings
  }

  private func checkLength() -> Finding? {
    guard image.count >= AppleHeader.byteCount else { return nil }
    let judgement = evidence.judgement
    let field = Extent(.data, AppleHeader.Field.length)
    let says = "the header's length is \(header.length.grouped) bytes"
    let other = judgement.end.map { $0.offset - AppleHeader.byteCount }
    let instead = other.map { "; the records themselves end after \($0.grouped)" } ?? ""
    switch judgement.verdict {
    case .fits, .undecided: return nil
    case .emptied:
      return Finding(
        AppleFindings.keysComeBack, at: field,
        "\(says), but records stand after it: removeAllKeys leaves the place where the app "
          + "writes next, so that its next write brings them all back")
    case .tooShort(let count):
      return Finding(
        AppleFindings.lengthTooShort, at: field,
        "\(says), and \(count.grouped) whole records that belong to the log follow: an append that was not "
          + "finished, or a damaged length\(instead)")
    case .betweenBoundaries:
      return Finding(
        AppleFindings.lengthOffRecord, at: field,
        "\(says), and no record ends there\(instead)")
    case .beyondFile where judgement.end?.basis == .lowHalf:
      return Finding(
        AppleFindings.lengthUpperHalf, at: field,
        "\(says); its low half, \(header.length & 0xffff_ffff), is right, and its high half is "
          + "what a 32-bit process had on its stack")
    case .beyondFile:
      return Finding(
        AppleFindings.lengthBeyondFile, at: field,
        "\(says), and \(logArea.count.grouped) are there\(instead)")
    }
  }

  private func checkDialect() -> [Finding] {
    guard dialectWitnessCount > 0 else { return [] }
    let log = logArea
    var findings: [Finding] = []
    if dialect.width == 4 {
      findings.append(
        Finding(
          AppleFindings.pointerWidth, at: log,
          "a 32-bit process wrote the file: \(dialectWitnessCount.grouped) records have lengths, CRC and "
            + "separator that agree for 4-byte words, and none does for 8; a 64-bit process that "
            + "opens it reads other lengths, and crashes or destroys it"))
    }
    if dialect.separator != .whole {
      findings.append(
        Finding(
          AppleFindings.oldSeparator, at: log,
          "an engine before 0.2.1 wrote the file: the separator is \(dialect.separator.rawValue); "
            + "the engine finds no record in it, and sets its length to 0"))
    }
    return findings
  }

  private func checkOpening() -> [Finding] {
    switch AppleLoadModel(found).ending {
    case .raised(let reason, let range):
      [
        Finding(
          AppleFindings.raises, at: Extent(.data, range),
          "the app will end with \(EngineError.exception) at each start: \(reason)")
      ]
    case .crashed(let reason, let range):
      [
        Finding(
          AppleFindings.overruns, at: Extent(.data, range),
          "the app will crash or read what is not its own at each start: \(reason)")
      ]
    case .refused(let error):
      [
        Finding(
          AppleFindings.refused,
          at: Extent(.data, 0..<min(AppleHeader.byteCount, image.count)),
          "the engine refuses the file with \(error.name)")
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
        "\(used.grouped) of \(image.count.grouped) bytes are used: by default the engine makes the file twice as "
          + "long at each start")
    ]
  }

  private func checkCorrections() -> [Finding] {
    let log = lengthClaims.last?.log ?? logArea
    return corrections.compactMap { correction in
      guard let offset = correction.changes.first?.offset, let odds = correction.odds else {
        return nil
      }
      return Finding(
        AppleFindings.corrected, log.range.contains(offset) ? .damage : .note,
        at: Extent(.data, offset..<offset + 1),
        "\(correction.reason); other damage looks like this with odds of \(odds.text)"
          + (odds.isProven
            ? "" : odds.isLikely ? ": likely, not proven" : ": possible, not likely"),
        odds: odds
      ).following(from: [correction.rule])
    }
  }

  private func checkSlack() -> [Finding] {
    guard let log = lengthClaims.last?.log, evidence.judgement.verdict != .emptied,
      let last = image.lastNonzero(in: log.end..<image.count)
    else { return [] }
    let used = log.end..<last + 1
    return [
      Finding(
        AppleFindings.slackContent, at: Extent(.data, used),
        "\(used.count.grouped) bytes after the log hold older contents, which anybody who has the file "
          + "can read")
    ]
  }
}
