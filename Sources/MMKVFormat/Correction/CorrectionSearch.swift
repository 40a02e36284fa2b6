import KVBytes
import KVModel
import KVSystem

/// Finds the few bits that damage has changed, by the digests that do not hold.
///
/// The digest of a log says where a single changed bit is, or a single byte, without trying; see
/// `CRC32Syndrome`. Two bits, or two bytes beside each other, have many answers in a long log. What
/// tells them apart is the log itself: with the right one, all of it decodes. The digest is over the
/// bytes as stored, so all this works under a cipher.
///
/// The confirmed digest is a second equation. Where it holds, nothing before its end has changed; where
/// it does not, the damage before its end and after it are looked for apart.
///
/// 1. The sizes of damage are tried in order. The candidates of the first size with any are proposed.
/// 2. An answer fits when all of the log decodes with it, to plausible records.
/// 3. How likely it is that other damage looks like this, is reckoned from the width of the digests, how
///    many answers there could have been, of this size and of those before it, and whether all of the
///    log decoded before: see ``Correction/odds``.
///
/// Time is linear in the log, but for pairs of bits, which are looked for in logs up to 16 KiB. Memory
/// is, in logs up to 1 MiB, where a key is looked for that stands in another's place.
struct CorrectionSearch {
  /// The most bytes in which one changed byte is told from all others, the digest included.
  private static let byteLimit = 145_212
  /// How many bytes after the place where records stop decoding two bytes are looked for.
  private static let gapReach = 64
  /// How many bits it takes to believe in damage elsewhere as well.
  private static let otherDamageBits = 4
  /// The most gaps that one changed byte leads into.
  private static let gapsPerByte = 4
  /// The longest log in which two bytes beside each other are looked for.
  private static let gapLimit = 1 << 20
  /// The most answers that are held against the log.
  private static let candidateLimit = 64

  private let view: MMKVView
  private let log: Extent
  private let stored: UInt32
  private let computed: UInt32
  private let confirmed: ChecksumClaim?

  /// A search in a store of which the current digest does not hold, and no other size has it; nothing
  /// for other stores.
  init?(_ view: MMKVView) {
    guard let claim = view.lengthClaims.first?.checksum, !claim.isSatisfied,
      claim.covered.count > 0,
      !view.lengthClaims.contains(where: { $0.role == .alternate && $0.isVerified }),
      !Self.holdsElsewhere(UInt32(claim.stored), in: view)
    else { return nil }
    self.view = view
    log = claim.covered
    stored = UInt32(claim.stored)
    computed = UInt32(claim.computed)
    confirmed = view.lengthClaims.first { $0.role == .confirmed }?.checksum.flatMap {
      $0.covered.count > 0 && $0.covered.end <= claim.covered.end ? $0 : nil
    }
  }

  /// Whether `digest` is that of a log which ends with another record: then the size is what is wrong,
  /// as it is when the app is killed between the two stores of an append.
  private static func holdsElsewhere(_ digest: UInt32, in view: MMKVView) -> Bool {
    var running = CRC32()
    var position = DataHeader.byteCount
    let all = min(position, view.stored.count)..<view.stored.count
    for event in MMKVRecords(view.plain, in: all, mode: .plain, isEncrypted: view.key != nil) {
      guard case .record(let record) = event else {
        if case .gap = event { return false }
        continue
      }
      running.update(view.stored.storageSpan, in: position..<record.extent.end)
      position = record.extent.end
      if running.value == digest { return true }
    }
    return false
  }

  /// Returns the corrections of the smallest size at which any fits; where more than one do, each is as
  /// good as the others.
  func corrections() -> [Correction] {
    lazy var gaps = view.gaps(in: log)
    var tried = 0.0
    var isScattered = false
    for size in CorrectionSize.allCases where !isScattered || size == .copied {
      var fitting: [Correction] = []
      for answer in answers(of: size, around: gaps) where !Deadline.hasPassed {
        // A changed byte leads into one gap, and seldom into a few: with more, it is not this.
        guard gaps.count <= Self.gapsPerByte * answer.changes.count else {
          isScattered = true
          break
        }
        guard let fit = fit(of: answer.changes) else { continue }
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
      reason: "with \(size.name) corrected (\(size.places(of: changes))) the checksum holds "
        + (repairsRecords
          ? "and every record decodes, which some did not" : "and every record decodes"))
  }

  /// The odds of `answer`, where so many other answers of smaller sizes were `tried`.
  private func odds(
    of answer: Answer, _ size: CorrectionSize, _ fit: Fit, isMending: Bool, tried: Double
  ) -> CoincidenceOdds {
    // That the confirmed digest still does not hold takes more damage, which this does not explain.
    let priorBits = size.priorBits + (fit.leavesConfirmed ? Self.otherDamageBits : 0)
    return CoincidenceOdds(
      checksumBits: 32,
      framingBits: isMending ? CorrectionSize.framingBits(isEncrypted: view.key != nil) : 0,
      candidates: (answer.patterns + tried) * Double(1 << priorBits))
  }

  /// Among how many changes of a size the digests choose, for those of which the log need not be read.
  private func patterns(of size: CorrectionSize) -> Double {
    switch size {
    case .bit: Double(log.count) * 8 + 32
    case .byte: log.count <= Self.byteLimit ? Double(log.count + 4) * 255 : 0
    case .copied, .onePerDigest, .key, .twoBytes, .twoBits: 0
    }
  }

  /// The changes that explain the digests, and among how many that could have been.
  private struct Answer {
    let changes: [ByteChange]
    let patterns: Double
  }

  /// What comes of changes with which all of the log decodes.
  private struct Fit {
    /// Whether the confirmed digest does not, even with them.
    let leavesConfirmed: Bool
  }

  /// How `changes` fit; `nil` unless all digests that held still do, and all of the log decodes.
  private func fit(of changes: [ByteChange]) -> Fit? {
    let held = confirmed?.isSatisfied
    if let confirmed, held == true,
      changes.contains(where: { $0.file == .data && $0.offset < confirmed.covered.end })
    {
      return nil
    }
    let corrected = view.applying(changes)
    guard corrected.lengthClaims.first?.isVerified == true, corrected.gaps(in: log).isEmpty else {
      return nil
    }
    let holds = corrected.lengthClaims.first { $0.role == .confirmed }?.isVerified ?? false
    return Fit(leavesConfirmed: held == false && !holds)
  }

  // MARK: What explains the digests

  /// The answers of a size; `gaps` are asked for where they are needed, as finding them takes long.
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
    case .copied: return copies(around: gaps())
    case .onePerDigest:
      return pairsOfPlaces()
    case .key:
      guard view.key == nil, log.count <= Self.gapLimit, gaps().isEmpty else { return [] }
      return otherKeys(syndrome, log.offset + trusted)
    case .twoBytes:
      // As after the process was killed in the middle of storing the digest.
      if syndrome.digestByteCount == 2 { return [digestAnswer(outOf: 3 * 0x1p16)] }
      guard log.count <= Self.gapLimit else { return [] }
      let around = gaps().prefix(4)
      return around.flatMap { gap in
        // The record before a gap may be what leads into it.
        let start = gap.extent.offset - log.offset
        let reach = (start - Self.gapReach..<start + Self.gapReach).clamped(to: range)
        return syndrome.bursts(in: reach, width: 2).filter { $0.mask > 0xff }
          .map { answer($0, outOf: Double(around.count * reach.count) * 0x1p16) }
      }
    case .twoBits: return pairsOfBits(syndrome, range)
    }
  }

  /// What the last full rewrite copied, where it still stands after the log; under a cipher the copies
  /// are other bytes.
  ///
  /// Where only the digest of the rewrite then holds, what was appended is damaged too, and looked at anew.
  private func copies(around gaps: [Gap]) -> [Answer] {
    guard view.key == nil, log.count <= Self.gapLimit else { return [] }
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

  /// The keys of the log that explain the digest where another stands, after `start`.
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

  /// Two bits, both before the end of the confirmed log where its digest does not hold.
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

  /// One place before the end of the confirmed log and one after it, where its digest does not hold.
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
          // Both digests begin at the same byte, so that each speaks for its own place alone: the odds
          // are those of the weaker of the two.
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
  /// The syndrome of a claim that does not hold.
  fileprivate init(_ claim: ChecksumClaim) {
    self.init(
      computed: UInt32(claim.computed), stored: UInt32(claim.stored), count: claim.covered.count)
  }
}
