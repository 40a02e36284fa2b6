import KVBytes
package import KVFixtures
package import KVModel
import KVRecovery

/// Compares what is read from a damaged store with what the healthy store held.
package struct StoreJudge {
  /// The healthy files.
  let healthy: DiskImage
  /// The damage done to them.
  let damage: Damage
  /// The correct value of each key.
  let truth: [Key: [UInt8]]
  /// Every value that each key has had.
  let history: [Key: Set<[UInt8]>]
  /// The entries of the earlier state that the damage may have brought back bytes of.
  let earlier: [Key: [UInt8]]
  /// The logs of the healthy store, or an empty array if they are not known.
  let logs: [TargetLog]
  /// The current time, in seconds since 1970.
  let now: UInt32

  /// Creates a judge of a store that `damage` makes of `healthy`.
  package init(
    healthy: DiskImage, damage: Damage, truth: [Key: [UInt8]], history: [Key: Set<[UInt8]>] = [:],
    earlier: [Key: [UInt8]] = [:], now: UInt32
  ) {
    self.init(
      healthy: healthy, damage: damage, truth: truth, history: history, earlier: earlier, logs: [],
      now: now)
  }

  init(
    healthy: DiskImage, damage: Damage, truth: [Key: [UInt8]], history: [Key: Set<[UInt8]>],
    earlier: [Key: [UInt8]], logs: [TargetLog], now: UInt32
  ) {
    self.healthy = healthy
    self.damage = damage
    self.truth = truth
    self.history = history
    self.earlier = earlier
    self.logs = logs
    self.now = now
  }

  /// A correction that a finding reports.
  package struct Claim: Hashable {
    package let code: String
    package let size: CalibrationReport.Correction.Size
    package let bits: Int?
    package let isTrue: Bool
  }

  /// The result of judging one store.
  package struct Judgement {
    package var tally = SoundnessTally()
    package var claims: [Claim] = []
    package var verdict = Verdict.clean
    /// A description of an entry that is presented as sound and is not.
    var example: String?
    /// A description of the first finding of damage.
    var finding: String?
  }

  /// Returns the judgement of `damaged`.
  package func judge<F: StoreFormat>(_ damaged: DiskImage, as format: F) -> Judgement {
    let store = format.open(damaged.storeFiles()).corrected()
    let diagnosis = Diagnosis(of: store, now: now)
    let plan = RepairPlanner(strategy: .recover).plan(store, given: diagnosis)
    let kept = plan?.kept ?? []
    var judgement = Judgement()
    judgement.verdict = diagnosis.verdict
    judgement.finding =
      diagnosis.findings.first { $0.severity == .damage }.map { "\($0.code): \($0.message)" }
    judgement.tally.stores = 1
    judgement.tally.entries = truth.count
    var rightKeys = Set<Key>()
    for entry in kept { judge(entry, of: store, &judgement, &rightKeys) }
    let isOlder = isOlderState(kept, of: store, damaged)
    if isOlder {
      judgement.tally.storesOlder = 1
      judgement.tally.asSound = 0
      judgement.tally.correctedWrong = 0
    }
    judgement.tally.storesAsSound = judgement.tally.asSound > 0 ? 1 : 0
    judgement.tally.right = rightKeys.count
    let keys = Set(kept.map { store.key(of: $0.record) })
    judgement.tally.missing = truth.keys.count { !keys.contains($0) }
    let claimsAll = diagnosis.verdict == .clean || diagnosis.verdict == .repairable
    judgement.tally.storesLostUnsaid =
      claimsAll && !isOlder && rightKeys.count < truth.count ? 1 : 0
    judgement.claims = claims(
      in: diagnosis.findings, of: store, damaged, as: format,
      areEntriesRight: kept.allSatisfy {
        truth[store.key(of: $0.record)] == store.value(of: $0.record)
      })
    return judgement
  }

  private func judge(
    _ entry: RepairPlan.KeptEntry, of store: some Store, _ judgement: inout Judgement,
    _ rightKeys: inout Set<Key>
  ) {
    let key = store.key(of: entry.record)
    let value = store.value(of: entry.record)
    if entry.evidence == .corrected { judgement.tally.corrected += 1 }
    if truth[key] == value {
      rightKeys.insert(key)
      return
    }
    if entry.evidence == .corrected { judgement.tally.correctedWrong += 1 }
    let isStale = history[key]?.contains(value) ?? false
    let kind: String
    if isStale {
      judgement.tally.stale += 1
      kind = truth[key] == nil ? "removed" : "stale"
    } else if history[key] != nil || truth[key] != nil {
      judgement.tally.wrong += 1
      kind = "wrong"
    } else {
      judgement.tally.invented += 1
      kind = "invented"
    }
    let isHonest = isStale && entry.cautions.contains(.mayBeStale)
    let isAsSound =
      entry.evidence >= .corrected || entry.evidence == .structure && entry.cautions.isEmpty
    guard isAsSound, !isHonest else { return }
    judgement.tally.asSound += 1
    let name = key.text.map(Value.quoted) ?? "0x" + Hexadecimal.text(key.bytes)
    judgement.example =
      judgement.example ?? "\(kind) under \(entry.evidence.rawValue): \(name)"
  }

  /// Returns whether the damage brought back a complete earlier state, without a trace of the newer
  /// one in the files.
  private func isOlderState(
    _ kept: [RepairPlan.KeptEntry], of store: some Store, _ damaged: DiskImage
  ) -> Bool {
    guard damage.isFromEarlier, kept.count == earlier.count, earlier != truth,
      kept.allSatisfy({ earlier[store.key(of: $0.record)] == store.value(of: $0.record) })
    else { return false }
    return logs.allSatisfy { log in
      log.newest.values.allSatisfy { record in
        let value = record.operation == .put ? record.value : nil
        return earlier[record.key] == value
          || record.range.upperBound > damage.verifiedEnds[log.file] ?? .max
          || !Answers.isSomewhere(record, of: log.file, in: healthy, damaged)
      }
    }
  }

  // MARK: Corrections

  /// A stored byte that is read as another one.
  private struct Change: Hashable {
    let file: FileRole
    let offset: Int
    let mask: UInt8
  }

  /// Returns the corrections that `findings` report, and whether each restores the healthy bytes.
  ///
  /// A changed byte is attributed to the finding whose extent contains it. Bytes outside every
  /// extent go to the first finding that has any.
  private func claims<F: StoreFormat>(
    in findings: [Finding], of store: F.StoreType, _ damaged: DiskImage, as format: F,
    areEntriesRight: Bool
  ) -> [Claim] {
    let (changes, shifted) = changes(of: store, damaged)
    let named = findings.filter { $0.odds != nil }
    var charged = [[Change]](repeating: [], count: named.count)
    var unnamed: [Change] = []
    for change in changes {
      let byte = Extent(change.file, change.offset..<change.offset + 1)
      if let index = named.firstIndex(where: { $0.extent?.contains(byte) ?? false }) {
        charged[index].append(change)
      } else {
        unnamed.append(change)
      }
    }
    // The extent of a correction at several places shows only the first ones.
    if let first = charged.firstIndex(where: { !$0.isEmpty }) {
      charged[first] += unnamed
      unnamed = []
    }
    var claims: [Claim] = []
    for (finding, own) in zip(named, charged) {
      let isShifted = finding.extent.map { shifted.contains($0.file) } ?? false
      if !own.isEmpty || isShifted {
        claims.append(
          Claim(
            code: finding.code, size: isShifted ? .shifted : Self.size(of: own),
            bits: finding.odds?.bits,
            isTrue: isShifted
              ? areRestored(finding.extent?.file, store) ?? areEntriesRight
              : own.allSatisfy { isRestored($0, store) }
                || isAmongMoved(own) && areEntriesRight))
      } else if let isTrue = isDecodedRight(finding, store, as: format) {
        claims.append(
          Claim(code: finding.code, size: .decoding, bits: finding.odds?.bits, isTrue: isTrue))
      }
    }
    return claims + claimsWithoutOdds(unnamed, shifted, findings, store, areEntriesRight)
  }

  /// Returns the corrections reported by findings without stated odds.
  private func claimsWithoutOdds(
    _ changes: [Change], _ shifted: Set<FileRole>, _ findings: [Finding], _ store: some Store,
    _ areEntriesRight: Bool
  ) -> [Claim] {
    let named = findings.filter { $0.odds != nil }
    let silent = findings.filter { $0.odds == nil && $0.extent != nil }
    var claims: [Claim] = []
    var rest: [Finding: [Change]] = [:]
    for change in changes {
      let byte = Extent(change.file, change.offset..<change.offset + 1)
      // The smallest extent is that of the correction. Larger ones describe the damage that it
      // undid.
      let finding = silent.filter { $0.extent?.contains(byte) ?? false }
        .min { $0.extent?.count ?? 0 < $1.extent?.count ?? 0 }
      if let finding { rest[finding, default: []].append(change) }
    }
    for finding in silent {
      guard let own = rest[finding] else { continue }
      claims.append(
        Claim(
          code: finding.code, size: Self.size(of: own), bits: nil,
          isTrue: own.allSatisfy { isRestored($0, store) }
            || isAmongMoved(own) && areEntriesRight))
    }
    for file in shifted.sorted(by: { $0.number < $1.number })
    where !named.contains(where: { $0.extent?.file == file }) {
      let own = silent.filter { $0.extent?.file == file && $0.severity == .damage }
      guard let finding = own.min(by: { $0.extent?.count ?? 0 < $1.extent?.count ?? 0 }) else {
        continue
      }
      claims.append(
        Claim(
          code: finding.code, size: .shifted, bits: nil,
          isTrue: areRestored(file, store) ?? areEntriesRight))
    }
    return claims
  }

  private static func size(of changes: [Change]) -> CalibrationReport.Correction.Size {
    guard changes.count == 1 else { return .bytes }
    return changes[0].mask.nonzeroBitCount == 1 ? .bit : .byte
  }

  /// Returns the bytes that are read as others, and the files in which bytes shifted.
  private func changes(
    of store: some Store, _ damaged: DiskImage
  ) -> (changes: [Change], shifted: Set<FileRole>) {
    var changes: [Change] = []
    var shifted: Set<FileRole> = []
    for file in damaged.files where file.role != .external {
      let read = store.stored(file.role)
      // Only common bytes are compared: an engine extends a file to whole pages with zeros.
      var own: [Change] = []
      let common = min(read.count, file.bytes.count)
      let bytes = read.bytes(in: 0..<common)
      for offset in 0..<common where bytes[offset] != file.bytes[offset] {
        own.append(
          Change(file: file.role, offset: offset, mask: bytes[offset] ^ file.bytes[offset]))
      }
      let isShifted =
        read.count > 0 && read.count < file.bytes.count
        || own.count > 8 && isShift(own, bytes, file.bytes)
      if isShifted { shifted.insert(file.role) } else { changes += own }
    }
    return (changes, shifted)
  }

  /// Returns whether `read` is `stored` with one byte more or less at the first change.
  private func isShift(_ changes: [Change], _ read: [UInt8], _ stored: [UInt8]) -> Bool {
    let first = changes[0].offset
    let count = min(64, read.count - first - 1, stored.count - first - 1)
    guard count > 8 else { return false }
    return read[first + 1..<first + 1 + count] == stored[first..<first + count]
      || read[first..<first + count] == stored[first + 1..<first + 1 + count]
  }

  private func name(of role: FileRole) -> String? {
    healthy.files.first { $0.role == role }?.name
  }

  /// Returns whether a byte is read as in the healthy file, at its offset or where the damage
  /// shifted it to.
  private func isRestored(_ change: Change, _ store: some Store) -> Bool {
    guard let name = name(of: change.file), let bytes = healthy[name]?.bytes else { return false }
    let byte = store.stored(change.file)[change.offset]
    if change.offset < bytes.count, bytes[change.offset] == byte { return true }
    guard let offset = damage.originalOffset(of: change.offset, in: name) else { return false }
    return offset < bytes.count && bytes[offset] == byte
  }

  /// Returns whether the damage inserted bytes at a change, so that there is nothing to compare it
  /// with.
  private func isAmongMoved(_ changes: [Change]) -> Bool {
    changes.contains { change in
      guard let name = name(of: change.file) else { return false }
      return damage.originalOffset(of: change.offset, in: name) == nil
    }
  }

  /// Returns `true` if the log of `file` is read as in the healthy file, and `nil` otherwise.
  ///
  /// It never returns `false`: a log of another length, or with other bytes, may still have the
  /// right entries.
  private func areRestored(_ file: FileRole?, _ store: some Store) -> Bool? {
    guard let file, let name = name(of: file), let bytes = healthy[name]?.bytes else { return nil }
    guard let log = store.lengthClaims.first(where: { $0.log?.file == file })?.log,
      log.end <= bytes.count
    else { return nil }
    return store.stored(file).bytes(in: log.range) == Array(bytes[log.range]) ? true : nil
  }

  /// Returns whether a correction that changes only the decryption decrypts the bytes as in the
  /// healthy store, or `nil` if there is no such correction.
  private func isDecodedRight<F: StoreFormat>(
    _ finding: Finding, _ store: F.StoreType, as format: F
  ) -> Bool? {
    let found = store.applying([])
    let file = store.logArea.file
    let (new, old) = (store.decoded(file).bytes, found.decoded(file).bytes)
    guard store.stored(file).bytes == found.stored(file).bytes, new != old,
      let name = name(of: file)
    else { return nil }
    let whole = format.open(healthy.storeFiles()).decoded(file).bytes
    return new.indices.allSatisfy { offset in
      guard offset >= old.count || new[offset] != old[offset] else { return true }
      let origin = damage.originalOffset(of: offset, in: name) ?? offset
      return origin < whole.count && whole[origin] == new[offset]
    }
  }
}
