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
  public let snapshot: Snapshot
  /// Whether a stored checksum says that this is the log, whole.
  public let isVouchedFor: Bool
  /// Where it comes from, for people.
  public let message: String
  /// The part of the log that an older checksum vouches for.
  let confirmed: Extent?
  /// Whether a stored checksum says that bytes of the log changed.
  let isContradicted: Bool
  /// Whether records are missing at the end.
  let isCutOff: Bool

  init(
    _ name: StateName, log: Extent?, scan: ScanMode, snapshot: Snapshot, isVouchedFor: Bool,
    confirmed: Extent? = nil, isContradicted: Bool = false, isCutOff: Bool = false,
    _ message: String
  ) {
    self.name = name
    self.log = log
    self.scan = scan
    self.snapshot = snapshot
    self.isVouchedFor = isVouchedFor
    self.confirmed = confirmed
    self.isContradicted = isContradicted
    self.isCutOff = isCutOff
    self.message = message
  }

  /// What vouches for the entry of `record`.
  ///
  /// Under a damaged log no entry is better than `structure`, though its own bytes may lie under an
  /// older checksum that holds: the key may have been set again where the damage is.
  public func evidence(of record: Record) -> Evidence {
    if isVouchedFor, snapshot.gaps.isEmpty { return .checksum }
    guard let gap = snapshot.gaps.first, gap.extent.offset < record.offset else {
      return .structure
    }
    return .guess
  }

  /// What no checksum can exclude about the entry of `record`.
  public func cautions(of record: Record) -> [Caution] {
    if isVouchedFor, snapshot.gaps.isEmpty { return [] }
    let isConfirmed = confirmed?.contains(record.extent) ?? false
    let isBeforeGap = (snapshot.gaps.last?.extent.offset ?? -1) > record.offset
    var cautions: [Caution] = []
    if isContradicted, !isConfirmed { cautions.append(.mayBeDamaged) }
    if isBeforeGap || isCutOff || isContradicted && isConfirmed { cautions.append(.mayBeStale) }
    return cautions
  }

  /// The weakest evidence of its entries; `checksum` for a state without entries.
  public var weakestEvidence: Evidence {
    snapshot.live.last.map { evidence(of: $0) } ?? (isVouchedFor ? .checksum : .structure)
  }
}
