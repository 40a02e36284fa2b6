public import KVModel

/// One state of a store: where its log is, what it holds, and what vouches for it.
public struct StoreState: Sendable {
  /// Which state it is.
  public let name: StateName
  /// Its log; nothing for a state without one.
  public let log: Extent?
  /// How strictly the log is scanned.
  public let scan: ScanMode
  /// The bytes of it that are left out.
  public var gaps: [Gap] { snapshot.gaps }
  /// What it holds.
  public internal(set) var snapshot: Snapshot
  /// Whether a stored checksum says that this is the log, whole.
  public let isVouchedFor: Bool
  /// Where it comes from, for people.
  public let message: String
  /// Whether each record has a checksum of its own, so that no other one vouches for it.
  let recordsHaveChecksums: Bool
  /// The part of the log that an older checksum vouches for.
  let confirmed: Extent?
  /// Whether no stored checksum says that the log is whole: one says that its bytes changed, or the one
  /// that there should be is lost.
  let isContradicted: Bool
  /// Whether records are missing at the end.
  let isCutOff: Bool
  /// Whether its newest records may be older ones, because nothing says for sure where it ends.
  let isEndDoubtful: Bool
  /// The bytes of the log that no checksum speaks of as they are decoded.
  let uncovered: Extent?
  /// Whether the checksum holds only after bytes were put right.
  let isCorrected: Bool
  /// What the records whose own checksums do not hold may have done to other keys than theirs.
  let keyDoubts: KeyDoubts
  /// The records of the log that are known to be in step though there is a gap before them.
  let anchored: Extent?
  /// The records that may be half written over, and those that look like none that an app wrote.
  var doubtful: Set<Record> = []
  /// The states of other copies of the log, from which some of its entries come.
  var others: [StoreState] = []
  /// The records that are worth less than the checksum over the log says, and why.
  var doubts: [Record: [Caution]] = [:]

  init(
    _ name: StateName, log: Extent?, scan: ScanMode, snapshot: Snapshot, isVouchedFor: Bool,
    recordsHaveChecksums: Bool = false, confirmed: Extent? = nil, isContradicted: Bool = false,
    isCutOff: Bool = false, isEndDoubtful: Bool = false, uncovered: Extent? = nil,
    isCorrected: Bool = false, anchored: Extent? = nil, _ message: String
  ) {
    keyDoubts = KeyDoubts(snapshot.contradicted)
    self.anchored = anchored
    self.isCorrected = isCorrected
    self.uncovered = uncovered
    self.name = name
    self.log = log
    self.scan = scan
    self.snapshot = snapshot
    self.isVouchedFor = isVouchedFor
    self.recordsHaveChecksums = recordsHaveChecksums
    self.confirmed = confirmed
    self.isContradicted = isContradicted
    self.isCutOff = isCutOff
    self.isEndDoubtful = isEndDoubtful
    self.message = message
  }

  /// What vouches for the entry of `record`.
  ///
  /// Under a damaged log no entry is better than `structure` where damage behind it may hide a newer
  /// record of its key, though its own bytes lie under a checksum that holds.
  public func evidence(of record: Record) -> Evidence {
    let evidence = evidenceOfLog(for: record)
    return doubts[record] == nil ? evidence : min(evidence, .structure)
  }

  /// The state of the copy that has `record`, where that is another one.
  private func owner(of record: Record) -> StoreState? {
    record.file == log?.file ? nil : others.first { $0.log?.file == record.file }
  }

  private func evidenceOfLog(for record: Record) -> Evidence {
    if let owner = owner(of: record) { return min(owner.evidenceOfLog(for: record), .structure) }
    if isBehindLog(record) { return .guess }
    if keyDoubts.concern(record) { return .structure }
    if doubtful.contains(record) { return .guess }
    switch record.integrity {
    case .verified where recordsHaveChecksums || !isSound:
      return isBeforeDamage(record) ? .structure : .checksum
    case .corrected: return isBeforeDamage(record) ? .structure : .corrected
    case .contradicted: return .structure
    case .verified, .unchecked:
      if isSound {
        let isCovered = !(uncovered?.overlaps(record.extent) ?? false)
        return isCovered && !recordsHaveChecksums
          ? (isCorrected ? .corrected : .checksum) : .structure
      }
      guard let gap = snapshot.gaps.first, gap.extent.offset < record.offset,
        anchored?.contains(record.extent) != true
      else { return .structure }
      return .guess
    }
  }

  /// What no checksum can exclude about the entry of `record`.
  public func cautions(of record: Record) -> [Caution] {
    var cautions = cautionsOfLog(for: record)
    cautions += (doubts[record] ?? []).filter { !cautions.contains($0) }
    // A checksum that covers a record in part says nothing of the rest.
    if recordsHaveChecksums, record.integrity == .unchecked, !cautions.contains(.mayBeDamaged) {
      cautions.insert(.mayBeDamaged, at: 0)
    }
    return cautions
  }

  /// Whether there is a sign of damage that concerns the entry of `record`.
  func isDoubted(_ record: Record) -> Bool {
    !isSound || !cautionsOfLog(for: record).isEmpty || doubts[record]?.isEmpty == false
  }

  private func cautionsOfLog(for record: Record) -> [Caution] {
    if let owner = owner(of: record) {
      let cautions = owner.cautionsOfLog(for: record)
      // Its own copy is damaged, and the one that is gone by has no such record.
      return cautions.contains(.mayBeDamaged) ? cautions : [.mayBeDamaged] + cautions
    }
    if isBehindLog(record) { return [.mayBeDamaged, .mayBeStale] }
    let isHidden = keyDoubts.concern(record)
    if isSound, record.integrity != .contradicted, !isHidden { return [] }
    let isConfirmed = confirmed?.contains(record.extent) ?? false
    var cautions: [Caution] = []
    if record.integrity == .contradicted
      || isContradicted && !isConfirmed && record.integrity == .unchecked
    {
      cautions.append(.mayBeDamaged)
    }
    if isHidden || isBeforeDamage(record) || isContradicted && isConfirmed {
      cautions.append(.mayBeStale)
    }
    return cautions
  }

  /// Whether bytes behind `record` are missing or cannot be read, or are perhaps not behind it in time.
  private func isBeforeDamage(_ record: Record) -> Bool {
    isCutOff || isEndDoubtful || (snapshot.gaps.last?.extent.offset ?? -1) > record.offset
  }

  /// Whether the state is whole: a checksum holds over the log or over each record, and every byte
  /// decodes.
  public var isSound: Bool { isVouchedFor && snapshot.gaps.isEmpty }

  /// The weakest evidence of its entries; `checksum` for a state without entries.
  public var weakestEvidence: Evidence {
    snapshot.live.map { evidence(of: $0) }.min() ?? (isVouchedFor ? .checksum : .structure)
  }
}
