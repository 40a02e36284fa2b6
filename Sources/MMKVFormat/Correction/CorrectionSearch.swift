import KVBytes
import KVModel
import KVSystem

/// A search for the few bits that damage changed, based on checksums that do not match.
///
/// The checksum of a log locates a single changed bit or byte without trial; see `CRC32Syndrome`.
/// Two bits, or two adjacent bytes, have many solutions in a long log. The log itself tells them
/// apart: with the right one, all of it decodes. The checksum covers the stored bytes, so all this
/// works for encrypted stores too.
///
/// The confirmed checksum is a second equation. If it matches, nothing before its end has changed.
/// If it does not, the damage before its end and the damage after it are located separately.
///
/// 1. The sizes of damage are tried in order. The fitting candidates of the first size that has any
///    are proposed.
/// 2. A candidate fits if all of the log decodes with it, to plausible records.
/// 3. The probability that other damage looks like this follows from the width of the checksums,
///    the number of candidates that there could have been of this size and the sizes before it, and
///    whether all of the log decoded before; see ``Correction/odds``.
///
/// Time is linear in the size of the log, except for pairs of bits, which are searched for in logs
/// of up to 16 KiB. Memory is linear too for exchanged keys, which are searched for in logs of up
/// to 1 MiB.
struct CorrectionSearch {
  /// The largest number of bytes, including the checksum, in which one changed byte is
  /// distinguishable from any other.
  private static let byteLimit = 145_212
  /// The distance from a gap's start, in bytes, within which two changed bytes are searched for.
  private static let gapReach = 64
  /// The prior, in bits, against further damage elsewhere.
  private static let otherDamageBits = 4
  /// The largest number of gaps that one changed byte causes.
  private static let gapsPerByte = 4
  /// The longest log in which changes of several bytes are searched for.
  private static let severalBytesLimit = 1 << 20
  /// The distance after a gap, in bytes, at which a changed byte did not cause it.
  private static let longestDamage = 4 << 20
  /// The largest number of candidates that are checked against the log.
  private static let candidateLimit = 64

  /// The size of a log, in bytes, from which its gaps are searched for before it is known whether
  /// they are needed, on another thread than the records' ends.
  private static let largeCount = 1 << 20

  private let view: MMKVView
  private let log: Extent
  private let stored: UInt32
  private let computed: UInt32
  private let confirmed: ChecksumClaim?
  /// The gaps of a large log.
  private let knownGaps: [Gap]?

  /// Creates a search in a store whose current checksum does not match, nor matches at any other
  /// size; `nil` for other stores.
  init?(_ view: MMKVView) {
    guard let claim = view.lengthClaims.first?.checksum, !claim.isSatisfied,
      claim.covered.count > 0,
      !view.lengthClaims.contains(where: { $0.role == .alternate && $0.isVerified })
    else { return nil }
    stored = UInt32(claim.stored)
    log = claim.covered
    if log.count < Self.largeCount {
      knownGaps = nil
      if Self.holdsElsewhere(stored, in: view) { return nil }
    } else {
      var work = ParallelWork { Self.holdsElsewhere($0, in: view) }
      work.add(stored)
      knownGaps = view.gaps(in: log)
      var isElsewhere = false
      work.finish { isElsewhere = $0 }
      if isElsewhere { return nil }
    }
    self.view = view
    computed = UInt32(claim.computed)
    confirmed = view.lengthClaims.first { $0.role == .confirmed }?.checksum.flatMap {
      $0.covered.count > 0 && $0.covered.end <= claim.covered.end ? $0 : nil
    }
  }

  /// Returns whether `digest` is the checksum of a log that ends at another record: then the size
  /// is wrong, as after a kill between the two writes of an append.
  private static func holdsElsewhere(_ digest: UInt32, in view: MMKVView) -> Bool {
    let bytes = view.stored.storageSpan
    var search = CRC32EndSearch(for: digest, from: DataHeader.byteCount)
    let all = min(DataHeader.byteCount, bytes.count)..<bytes.count
    for event in MMKVRecords(view.plain, in: all, mode: .plain, isEncrypted: view.key != nil) {
      if case .gap = event { break }
      if case .record(let record) = event { search.add(record.extent.end, in: bytes) }
    }
    return search.end(in: bytes) != nil
  }

  /// Returns the corrections of the smallest size at which any fits; if several do, none is better
  /// than the others.
  func corrections() -> [Correction] {
    lazy var gaps = knownGaps ?? view.gaps(in: log)
    var tried = 0.0
    var isScattered = false
    for size in CorrectionSize.allCases
    where !isScattered || size == .copied || size == .exchanged {
      var fitting: [Correction] = []
      for answer in answers(of: size, around: gaps) where !Deadline.hasPassed {
        // A changed byte causes one gap, and seldom several: more gaps have another cause.
        guard gaps.count <= Self.gapsPerByte * answer.changes.count else {
          isScattered = true
          break
        }
        guard canMend(gaps, answer.changes),
          let fit = (gaps.isEmpty ? localFit(of: answer.changes) : nil) ?? fit(of: answer.changes)
        else { continue }
        fitting.append(
          correction(
            size, answer.changes, repairsRecords: !gaps.isEmpty,
            odds(of: answer, size, fit, isMending: !gaps.isEmpty, tried: tried)))
      }
      if !fitting.isEmpty { return fitting }
      tried += patterns(of: size)
    }
    return []
  }

  private func correction(
    _ size: CorrectionSize, _ changes: [ByteChange], repairsRecords: Bool, _ odds: CoincidenceOdds
  ) -> Correction {
    Correction(
      changes.map { .change($0) }, by: size.rule, verifying: log, odds, rivalry: .contradicting,
      reason: "\(size.phrase) (\(size.places(of: changes))) makes the checksum match"
        + (repairsRecords
          ? " and every record decode" : "; every record decodes"))
  }

  /// Returns the odds of `answer`, before which `tried` candidates of smaller sizes were excluded.
  private func odds(
    of answer: Answer, _ size: CorrectionSize, _ fit: Fit, isMending: Bool, tried: Double
  ) -> CoincidenceOdds {
    // If the confirmed checksum still does not match, there is more damage, which this does not
    // explain.
    let priorBits = size.priorBits + (fit.leavesConfirmed ? Self.otherDamageBits : 0)
    return CoincidenceOdds(
      checksumBits: 32,
      framingBits: isMending ? CorrectionSize.framingBits(isEncrypted: view.key != nil) : 0,
      candidates: (answer.patterns + tried) * Double(1 << priorBits))
  }

  /// Returns the number of changes of a size among which the checksums choose; 0 if that depends on
  /// the log.
  private func patterns(of size: CorrectionSize) -> Double {
    switch size {
    case .bit: Double(log.count) * 8 + 32
    case .byte: log.count <= Self.byteLimit ? Double(log.count + 4) * 255 : 0
    case .copied, .exchanged, .onePerDigest, .key, .twoBytes, .twoBits: 0
    }
  }

  /// Changes that explain the checksums, and the number of changes among which they were chosen.
  private struct Answer {
    let changes: [ByteChange]
    let patterns: Double
  }

  /// The result of applying changes with which all of the log decodes.
  private struct Fit {
    /// Whether the confirmed checksum does not match even then.
    let leavesConfirmed: Bool
  }

  /// Returns whether one of `changes` is where it can have caused the first of `gaps`.
  private func canMend(_ gaps: [Gap], _ changes: [ByteChange]) -> Bool {
    guard let gap = gaps.first else { return true }
    return changes.contains {
      $0.file == .data && $0.offset < gap.extent.end + Self.longestDamage
    }
  }

  /// Returns how `changes` fit in a log that decodes without them, if the records in which they lie
  /// show it; `nil` if all of the log has to be read.
  ///
  /// The changed log is not made, which for a long log takes longer than all the rest: a CRC shows
  /// by itself what changes do to it.
  private func localFit(of changes: [ByteChange]) -> Fit? {
    guard view.key == nil,
      changes.allSatisfy({ $0.file == .data && log.range.contains($0.offset) }),
      computed ^ effect(of: changes, on: log) == stored,
      !changes.contains(where: { isSettled($0) }), view.recordsKeepTheirEnds(changes, in: log)
    else { return nil }
    let leavesConfirmed = confirmed.map {
      UInt32($0.computed) ^ effect(of: changes, on: $0.covered) != UInt32($0.stored)
    }
    return Fit(leavesConfirmed: leavesConfirmed ?? false)
  }

  /// Returns the exclusive or of the checksum of `extent` with and without `changes`.
  private func effect(of changes: [ByteChange], on extent: Extent) -> UInt32 {
    changes.filter { extent.range.contains($0.offset) }.reduce(0) {
      $0 ^ CRC32.effect(ofByte: $1.mask, beforeLast: extent.end - $1.offset - 1)
    }
  }

  /// Returns whether the checksum of the last full rewrite shows that the byte did not change.
  private func isSettled(_ change: ByteChange) -> Bool {
    guard let confirmed, confirmed.isSatisfied else { return false }
    return change.file == .data && change.offset < confirmed.covered.end
  }

  /// Returns how `changes` fit; `nil` unless every checksum that matched still does, and all of the
  /// log decodes.
  private func fit(of changes: [ByteChange]) -> Fit? {
    let held = confirmed?.isSatisfied
    if changes.contains(where: { isSettled($0) }) { return nil }
    let corrected = view.applying(changes)
    guard corrected.lengthClaims.first?.isVerified == true, corrected.gaps(in: log).isEmpty else {
      return nil
    }
    let holds = corrected.lengthClaims.first { $0.role == .confirmed }?.isVerified ?? false
    return Fit(leavesConfirmed: held == false && !holds)
  }

  // MARK: Candidates

  /// Returns the candidates of a size; `gaps` is evaluated only if needed, because finding gaps is
  /// slow.
  private func answers(
    of size: CorrectionSize, around gaps: @autoclosure () -> [Gap]
  ) -> [Answer] {
    let syndrome = CRC32Syndrome(computed: computed, stored: stored, count: log.count)
    let trusted = confirmed?.isSatisfied == true ? confirmed?.covered.count ?? 0 : 0
    let range = trusted..<log.count
    switch size {
    case .bit:
      let digest = digestAnswer(outOf: Double(log.count * 8 + 32))
      return (syndrome.isOneBitOfDigest ? [digest] : [])
        + syndrome.bits(in: range).map { answer($0, outOf: Double(range.count * 8 + 32)) }
    case .byte:
      guard log.count <= Self.byteLimit else { return [] }
      let bytes = syndrome.bursts(in: range, width: 1).filter { $0.mask.nonzeroBitCount > 1 }
      let digest = digestAnswer(outOf: Double(log.count + 4) * 255)
      return (syndrome.digestByteCount == 1 ? [digest] : [])
        + bytes.map { answer($0, outOf: Double(range.count + 4) * 255) }
    case .copied:
      guard view.key == nil, log.count <= Self.severalBytesLimit else { return [] }
      return copies(around: gaps())
    case .exchanged: return exchanges(from: trusted == 0 ? 0 : log.offset + trusted)
    case .onePerDigest:
      return pairsOfPlaces()
    case .key:
      guard view.key == nil, log.count <= Self.severalBytesLimit, gaps().isEmpty else { return [] }
      return otherKeys(syndrome, log.offset + trusted)
    case .twoBytes:
      // As left when the process is killed while storing the checksum.
      if syndrome.digestByteCount == 2 { return [digestAnswer(outOf: 3 * 0x1p16)] }
      return log.count <= Self.severalBytesLimit
        ? pairsOfBytes(syndrome, range, around: gaps().prefix(4)) : []
    case .twoBits: return pairsOfBits(syndrome, range)
    }
  }

  /// Returns the changes of two adjacent bytes of `range` near one of `gaps`.
  private func pairsOfBytes(
    _ syndrome: CRC32Syndrome, _ range: Range<Int>, around gaps: some Collection<Gap>
  ) -> [Answer] {
    gaps.flatMap { gap in
      // The gap may be caused by the record before it.
      let start = gap.extent.offset - log.offset
      let reach = (start - Self.gapReach..<start + Self.gapReach).clamped(to: range)
      return syndrome.bursts(in: reach, width: 2).filter { $0.mask > 0xff }
        .map { answer($0, outOf: Double(gaps.count * reach.count) * 0x1p16) }
    }
  }

  /// Returns what the last full rewrite copied, if the originals are still present after the log;
  /// in an encrypted store, copies and originals differ.
  ///
  /// If only the checksum of the rewrite matches then, what was appended is damaged too, and is
  /// searched separately.
  private func copies(around gaps: [Gap]) -> [Answer] {
    let sets = CopiedRecords(view, after: log)
      .changes(in: log, around: gaps, until: confirmed?.covered.end)
    for changes in sets {
      let copied = view.applying(changes)
      if copied.lengthClaims.first?.isVerified == true {
        return [Answer(changes: changes, patterns: Double(sets.count))]
      }
      guard copied.lengthClaims.contains(where: { $0.role == .confirmed && $0.isVerified }),
        confirmed?.isSatisfied == false,
        let rest = CorrectionSearch(copied)?.corrections(), rest.count == 1,
        let odds = rest[0].odds, odds.isLikely
      else { continue }
      return [
        Answer(
          changes: changes + rest[0].changes,
          patterns: 0x1p32 / Double(sign: .plus, exponent: odds.bits, significand: 1))
      ]
    }
    return []
  }

  /// Returns the exchanges of two blocks from `start` on that explain the checksum.
  private func exchanges(from start: Int) -> [Answer] {
    let found = ExchangedBlocks(view.stored, log.range, from: start, computed ^ stored)
    return found.exchanges.prefix(Self.candidateLimit).map {
      Answer(changes: $0.changes(view.stored, of: .data), patterns: Double(found.patternCount))
    }
  }

  /// Returns the exchanges of a key after `start` for another key of the log that explain the
  /// checksum.
  private func otherKeys(_ syndrome: CRC32Syndrome, _ start: Int) -> [Answer] {
    let found = ExchangedKeys(view.stored, log.range, from: start, syndrome)
    return found.exchanges.prefix(Self.candidateLimit).map { exchange in
      Answer(
        changes: zip(exchange.key, exchange.other).compactMap { offset, other in
          let mask = view.stored[offset] ^ view.stored[other]
          return mask == 0 ? nil : ByteChange(.data, at: offset, xor: mask)
        }, patterns: Double(found.patternCount))
    }
  }

  /// Returns the pairs of bits, both under the confirmed checksum if that does not match.
  private func pairsOfBits(_ syndrome: CRC32Syndrome, _ range: Range<Int>) -> [Answer] {
    var (syndrome, range) = (syndrome, range)
    if let confirmed, !confirmed.isSatisfied {
      syndrome = CRC32Syndrome(confirmed)
      range = 0..<confirmed.covered.count
    }
    let bits = Double(range.count) * 8
    return syndrome.bitPairs(in: range).prefix(Self.candidateLimit).map { pair in
      Answer(
        changes: [pair.first, pair.second].flatMap {
          ByteChange.changes(of: $0, in: .data, from: log.offset)
        }, patterns: bits * bits / 2)
    }
  }

  private func answer(_ burst: CRC32Syndrome.Burst, outOf patterns: Double) -> Answer {
    Answer(
      changes: ByteChange.changes(of: burst, in: .data, from: log.offset), patterns: patterns)
  }

  private func digestAnswer(outOf patterns: Double) -> Answer {
    let syndrome = computed ^ stored
    let changes = MetaInfo.Field.digest.compactMap { offset -> ByteChange? in
      let mask = UInt8(truncatingIfNeeded: syndrome >> (8 * UInt32(offset)))
      return mask == 0 ? nil : ByteChange(.meta, at: offset, xor: mask)
    }
    return Answer(changes: changes, patterns: patterns)
  }

  /// Returns pairs of places, one under the confirmed checksum and one after it, if that does not
  /// match.
  private func pairsOfPlaces() -> [Answer] {
    guard let confirmed, !confirmed.isSatisfied, confirmed.covered.count < log.count,
      confirmed.covered.count <= Self.byteLimit
    else { return [] }
    let first = CRC32Syndrome(confirmed)
    let after = confirmed.covered.count..<log.count
    guard after.count <= Self.byteLimit else { return [] }
    return first.bursts(in: 0..<confirmed.covered.count, width: 1).flatMap { place -> [Answer] in
      let changes = ByteChange.changes(of: place, in: .data, from: log.offset)
      let image = view.stored.applying(changes, of: .data)
      let rest = CRC32Syndrome(
        computed: CRC32.digest(of: image, in: log.range), stored: stored, count: log.count)
      return rest.bursts(in: after, width: 1).map { other in
        Answer(
          changes: changes + ByteChange.changes(of: other, in: .data, from: log.offset),
          // Both checksums begin at the same byte, so each is evidence for its own place alone: the
          // odds are those of the weaker of the two.
          patterns: max(
            Double(confirmed.covered.count) * patterns(of: place),
            Double(after.count) * patterns(of: other)))
      }
    }
  }

  private func patterns(of burst: CRC32Syndrome.Burst) -> Double {
    burst.mask.nonzeroBitCount == 1 ? 8 : 255
  }
}

extension CRC32Syndrome {
  /// Creates the syndrome of a claim that does not match.
  fileprivate init(_ claim: ChecksumClaim) {
    self.init(
      computed: UInt32(claim.computed), stored: UInt32(claim.stored), count: claim.covered.count)
  }
}
