import KVBytes
package import KVModel
import KVSystem
import SystemPackage

extension MMKVStore {
  /// Returns what is noteworthy about the two files, apart from their records.
  package func check() -> [Finding] { found.checkAsFound() + checkCorrections() }

  private func checkAsFound() -> [Finding] {
    var findings = checkName() + checkDataFile() + checkMetaFile()
    if case .unreadable(let code, let reason) = access {
      let finding = Finding(code, .damage, at: dataFile.map { _ in logArea }, reason)
      guard code == MMKVFindings.notAStore else { return findings + [finding] }
      // If the file is not a store, oddities of a store's files are irrelevant, except that the
      // file is too short to be one.
      return findings.filter { $0.kind == MMKVFindings.dataCut } + [finding]
    }
    findings += checkKey() + checkMeta() + checkSizes() + checkSlack()
    return findings
  }

  private func checkKey() -> [Finding] {
    if let find = choice.find {
      return [
        Finding(
          MMKVFindings.keyFound, at: dataFile.map { _ in logArea }, "the key was found in \(find)")
      ]
    }
    guard isKeyUnneeded else { return [] }
    return [
      Finding(
        MMKVFindings.keyNotNeeded, .note, at: dataFile.map { _ in logArea },
        "the store is not encrypted: its records decode only without the key, so it is read "
          + "without it. An app that opens it with this key sees no entries")
    ]
  }

  private func checkName() -> [Finding] {
    guard let id = FileNames.id(of: dataPath, among: candidateIDs) else { return [] }
    return [
      Finding(
        MMKVFindings.hashedId, at: nil, "the file's name is the hash of the id \"\(id)\"")
    ]
  }

  private func checkDataFile() -> [Finding] {
    var findings: [Finding] = []
    if let count = dataFile?.image.count {
      let whole = Extent(.data, 0..<count)
      if count < DataHeader.byteCount {
        findings.append(
          Finding(
            MMKVFindings.dataCut, at: whole,
            "the data file has \(count.inBytes), fewer than the \(DataHeader.byteCount.grouped) of its header"
          )
        )
      } else if count % page.count != 0 {
        findings.append(
          Finding(
            MMKVFindings.dataNotPageSized, at: whole,
            "the data file has \(count.inBytes), not a multiple of the page size (\(page.count.grouped)): "
              + (isLastPageCut
                ? "it was truncated or copied in part"
                : "the whole pages hold the log, and \((count % page.count).counted("byte follows", "bytes follow")) them, "
                  + "which a copy or another program added")
              + "; the engine extends it with zeros"))
      }
    } else {
      findings.append(
        Finding(
          MMKVFindings.dataMissing, at: nil,
          "there is a meta file but no data file beside it, so there are no entries"))
    }
    return findings
  }

  /// Whether bytes of the last page are missing: according to the size of the log, it reaches into
  /// that page, or nothing says where it ends.
  private var isLastPageCut: Bool {
    let count = dataFile?.image.count ?? 0
    let wholeCount = count - count % page.count
    guard wholeCount > 0, let log = lengthClaims.first?.log, log.count > 0 else { return true }
    return log.end > wholeCount
  }

  private func checkMetaFile() -> [Finding] {
    var findings: [Finding] = []
    guard let metaCount = metaFile?.image.count else {
      findings.append(
        Finding(
          MMKVFindings.metaMissing, at: nil,
          "the .crc file is missing: size, checksum and IV are unknown, and the engine "
            + "assumes 0. If the device still has it, copy it next to the data file: what follows is "
            + "about a store without it"))
      return findings
    }
    if let path = renamedMeta {
      findings.append(
        Finding(
          MMKVFindings.metaRenamed, at: nil,
          "the .crc file is called \(path.name): both files were renamed, and the app finds them only "
            + "under the names that it gave them"))
    }
    if metaCount < MetaInfo.byteCount {
      let needed = MetaInfo.Field.confirmedDigest.upperBound
      findings.append(
        Finding(
          MMKVFindings.metaShort, metaCount < needed ? .damage : .warning,
          at: Extent(.meta, 0..<metaCount),
          "the meta file has \(metaCount.grouped) of \(MetaInfo.byteCount.grouped) bytes; the engine assumes 0 "
            + "for the rest"))
    }
    return findings
  }

  /// The path of the meta file, if it was renamed with the data file.
  private var renamedMeta: FilePath? {
    guard let data = dataFile?.path, let meta = metaFile?.path,
      RenamedPair.sides(of: data, suffix: FileNames.metaSuffix).contains(meta)
    else { return nil }
    return meta
  }

  private func checkMeta() -> [Finding] {
    guard let metaFile else { return [] }
    var findings: [Finding] = []
    func note(
      _ code: FindingCode, _ field: Range<Int>, _ message: String,
      _ severity: Finding.Severity? = nil
    ) {
      let there = Extent(.meta, field.clamped(to: 0..<metaFile.image.count))
      findings.append(Finding(code, severity, at: there, message))
    }
    if meta.isBlank {
      if metaFile.image.count > 0, !storedData.isZero(in: storedData.range) {
        note(
          MMKVFindings.metaBlank, 0..<MetaInfo.byteCount,
          "the meta file's version and checksum are 0, as if it had never been written, but the data file "
            + "is not empty")
      }
      return findings
    }
    if view.saysNothing {
      note(
        MMKVFindings.metaBlank, 0..<MetaInfo.byteCount,
        "according to the meta file, the store was never written to, but the data file is not empty. The "
          + "meta file belongs to another store, or was lost and recreated; the engine shows an empty store"
      )
    }
    if let (code, message) = oddVersion { note(code, MetaInfo.Field.version, message) }
    if let (code, severity, message) = oddFlags {
      note(code, MetaInfo.Field.flags, message, severity)
    }
    if !storedMeta.isZero(in: MetaInfo.Field.reserved)
      || !storedMeta.isZero(in: MetaInfo.byteCount..<storedMeta.count)
    {
      note(
        MMKVFindings.metaPadding, MetaInfo.Field.reserved.lowerBound..<storedMeta.count,
        "there is data in unused parts of the meta file: it may not be an MMKV file")
    }
    return findings
  }

  /// The file or field with the size that the engine uses.
  private var sizeHolder: String {
    StatedSizes(meta, header).isInMeta ? "the meta file" : "the header"
  }

  /// The finding about a meta version that no released engine writes; `nil` if there is none.
  private var oddVersion: (code: FindingCode, message: String)? {
    if meta.version >= MetaInfo.Version.suspicious {
      return (
        MMKVFindings.metaVersionSuspicious,
        "the meta version is \(meta.version), but the highest known is \(MetaInfo.Version.flags); "
          + "the engine continues as with version 3, without expiry"
      )
    }
    guard meta.version > MetaInfo.Version.flags else { return nil }
    return (
      MMKVFindings.metaVersionReserved,
      "the meta version is \(meta.version), which no released engine writes"
    )
  }

  /// What is wrong with the flags; `nil` if nothing is.
  private var oddFlags: (code: FindingCode, severity: Finding.Severity?, message: String)? {
    if let message = contradictedExpiry {
      // An engine that wrote both forms has damaged nothing, although it misreads one of them.
      let isDamaged = expiryForm.contradiction == .all
      return (MMKVFindings.expiryContradicted, isDamaged ? .damage : .warning, message)
    }
    guard meta.flags & ~1 != 0, meta.version >= MetaInfo.Version.flags else { return nil }
    return (
      MMKVFindings.metaFlagsUnknown, nil,
      "the flags are \(Hexadecimal.text(meta.flags, digits: 16)); only bit 0 is defined"
    )
  }

  /// How the values contradict the expiry flag; `nil` if they do not.
  private var contradictedExpiry: String? {
    guard expiryForm.contradiction != .none, metaFile?.image.count ?? 0 >= MetaInfo.byteCount else {
      return nil
    }
    let (with, without) = (expiryForm.count.withTime, expiryForm.count.withoutTime)
    if !expiryForm.isStated, meta.flags & 1 == 1 {
      return "the flag says that values end in an expiry time, and they look so; but the engine "
        + "ignores it, because the version is \(meta.version)"
    }
    return "the flag says that values \(expiryForm.isStated ? "end" : "do not end") in an expiry "
      + "time; of the \((with + without).counted("value", "values")) whose own length shows it, "
      + "\(with.grouped) do and \(without.grouped) do not"
      + (expiryForm.contradiction == .some
        ? "; the engine misreads those, and takes their last bytes for a time" : "")
  }

  private func checkVector() -> Finding? {
    guard let vectorTrust, vectorTrust != .right, let uncovered = traits.uncovered else {
      return nil
    }
    let isDamaged = vectorTrust == .damaged
    return Finding(
      MMKVFindings.vectorUnverified, isDamaged ? .damage : .note, at: uncovered,
      "the first \(uncovered.count.inBytes) of the log decrypt to implausible bytes. Only they depend on "
        + "the IV at \(Hexadecimal.text(MetaInfo.Field.vector.lowerBound, digits: 2)) in the meta file, "
        + "which no checksum covers; it is probably "
        + (isDamaged ? "damaged" : "right and the first entry unusual"))
  }

  private func checkSizes() -> [Finding] {
    guard let current = lengthClaims.first, dataFile != nil else { return [] }
    var findings: [Finding] = []
    if let found = checkVector() { findings.append(found) }
    if isBeyondFile(current) {
      findings.append(
        Finding(
          MMKVFindings.sizeBeyondFile, at: current.statedAt,
          "\(sizeHolder) says the log is \(current.count.inBytes) long, but only "
            + "\(logArea.count.inBytes) follow the data file's header"))
    } else if let claim = view.lengthClaims.first?.checksum, !claim.isSatisfied {
      findings.append(mismatch(MMKVFindings.checksumMismatch, current, claim))
    }
    for lengthClaim in lengthClaims.dropFirst() {
      if lengthClaim.role == .confirmed {
        if isBeyondFile(lengthClaim) {
          findings.append(
            Finding(
              MMKVFindings.confirmedBeyondFile, at: lengthClaim.statedAt,
              "the \(lengthClaim.origin) is \(lengthClaim.count.inBytes), but only "
                + "\(logArea.count.counted("byte follows", "bytes follow")) the data file's header")
          )
        } else if let claim = lengthClaim.checksum, !claim.isSatisfied {
          findings.append(
            mismatch(
              MMKVFindings.confirmedMismatch, as: current.isVerified ? .note : .warning,
              lengthClaim, claim))
        }
      } else if lengthClaim.count != current.count {
        findings.append(
          Finding(
            MMKVFindings.headerDisagrees, lengthClaim.isVerified ? .warning : .note,
            at: lengthClaim.statedAt,
            "the \(lengthClaim.origin) is \(lengthClaim.count.inBytes), the \(current.origin) is "
              + "\(current.count.inBytes); the engine uses the latter"
              + (lengthClaim.isVerified ? ", but the checksum matches the former" : "")))
      }
    }
    return findings
  }

  /// Returns whether the data file has fewer bytes after its header than `lengthClaim` says.
  ///
  /// A claim of no bytes is never beyond the file: without all of the header there is no log, and
  /// that is a finding of its own.
  private func isBeyondFile(_ lengthClaim: LengthClaim) -> Bool {
    lengthClaim.log == nil && lengthClaim.count > logArea.count
  }

  private func mismatch(
    _ code: FindingCode, as severity: Finding.Severity? = nil, _ lengthClaim: LengthClaim,
    _ claim: ChecksumClaim
  ) -> Finding {
    Finding(
      code, severity, at: claim.covered,
      "the \(claim.algorithm.rawValue) of the \(lengthClaim.role == .confirmed ? "last confirmed log" : "log")'s \(lengthClaim.count.inBytes) is "
        + "\(Hexadecimal.text(claim.computed)), but the meta file stores "
        + "\(Hexadecimal.text(claim.stored)) at \(Hexadecimal.text(claim.storedAt.offset, digits: 2))"
    )
  }

  private func checkSlack() -> [Finding] {
    // Without a meta file, or with one that was never written to, those bytes may be the log itself.
    guard metaFile != nil, !meta.isBlank, !view.saysNothing,
      let log = lengthClaims.first?.log, let image = dataFile?.image
    else { return [] }
    let slack = max(log.end, DataHeader.byteCount)..<max(log.end, image.count)
    guard let last = lastNonzero(in: Extent(.data, slack)) else { return [] }
    let used = slack.lowerBound..<last + 1
    var findings = [slackContent(used)]
    // A record directly after the log is an append that the meta file does not know of, or part of
    // an older log: both are worth a look with `dump --history`.
    if let first = MMKVRecords(plainData, in: used, mode: .plain, isEncrypted: isEncrypted)
      .first(where: { _ in true }), case .record(let record) = first,
      Plausibility(expiry: .unknown, expectsTextKeys: true).accepts(record, in: plainData)
    {
      findings.append(
        Finding(
          MMKVFindings.tailBeyondSize, at: record.extent,
          "a whole record follows the log of \(log.count.inBytes): an append that "
            + "the meta file does not record, or leftovers of a longer log"))
    }
    return findings
  }

  /// What the bytes at `used`, after the log, hold.
  private func slackContent(_ used: Range<Int>) -> Finding {
    let count = "\(used.count.inBytes) of slack after the log"
    let message =
      switch KeyFit(view).leftoversOfEmptyLog?.decode {
      case .neither where isEncrypted:
        "\(count) decrypt to at most one readable record, and the log is empty, so it is unknown whether the key is right. "
          + "With the right key, they may be the contents before the store was emptied"
      case .neither:
        "\(count) contain at most one readable record. If the store is encrypted, give its key: they may "
          + "be the contents before it was emptied"
      default:
        "\(count) contain old data, readable by anyone who has the file"
          + (isEncrypted ? " and its key" : "")
      }
    return Finding(MMKVFindings.slackContent, at: Extent(.data, used), message)
  }
}
