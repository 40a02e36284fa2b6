import KVBytes
import KVCryptography
import KVModel
import KVSystem

/// The search for the key of an encrypted store among many candidates.
///
/// 1. The lengths of the records are followed from the start of the log, which is decrypted only
///    where they lead. Most keys are ruled out by the first one or two.
/// 2. If the log's checksum matches, the records must end where it does; in a damaged log, at least
///    ``chainCount`` of them must decode.
/// 3. The whole log is judged as with a key that is given: by ``NoiseOdds``, and then ``KeyFit``.
///
/// Where the first records of a log without a matching checksum do not decode, because they are
/// damaged or their vector is lost, other places are looked at instead: see ``LogPlaces``.
///
/// N candidates are N chances for noise, so the key must have log2 N more bits of evidence than one
/// that is given.
struct KeySearch {
  /// The number of records that must decode before the first damage.
  private static let chainCount = 4
  /// The additional evidence for a log that is damaged, in bits: where it ends is a free choice.
  private static let damageBits = 16.0
  /// The number of records that are followed.
  private static let recordLimit = 64
  /// The number of keys after which the time limit is checked.
  private static let stride = 1 << 14

  private let view: MMKVView
  private let log: Range<Int>
  private let isVerified: Bool
  private let places: LogPlaces

  /// Creates a search for the key of `view`, which has none; `nil` if there is no log.
  init?(_ view: MMKVView) {
    self.view = view
    let verified = view.lengthClaims.first {
      $0.isVerified && $0.count > NoiseOdds.emptyCount
    }?.log
    let start = DataHeader.byteCount
    guard start < view.dataCount, let last = view.stored.lastNonzero(in: start..<view.dataCount)
    else { return nil }
    isVerified = verified != nil
    log = verified?.range ?? start..<last + 1
    places = LogPlaces(log.count)
  }

  /// Whether what seems to be no store, as it has no meta file or one without content, may be an
  /// encrypted log: a file of whole pages with noise in it, which is as long as it says.
  var mayBeLog: Bool {
    (view.metaCount == 0 || view.saysNothing) && view.dataCount.isMultiple(of: view.page.count)
      && Int(view.header.payloadCount) <= view.dataCount - DataHeader.byteCount
      && EncryptedLogs.mayBeEncrypted(view.stored, at: 0)
      && ForeignFile.name(of: view.stored) == nil
  }

  /// The bytes that tell this store from others.
  var mark: [UInt8] {
    view.meta.vector + view.stored.bytes(in: log.prefix(CFBTrial.partCount))
      + Array("\(log)".utf8)
  }

  /// Returns the candidate with the most evidence; `nil` if the log decodes with none.
  ///
  /// If `isAES256` is `nil`, both AES key sizes are tried.
  func best(among candidates: KeyCandidates, isAES256: Bool?) -> KeyCandidates.Hit? {
    let sizes = isAES256.map { [$0] } ?? [false, true]
    let least =
      NoiseOdds.leastBits + Logarithm.base2(Double(max(1, candidates.count * sizes.count)))
    var best: KeyCandidates.Hit?
    for isAES256 in sizes {
      var trial = CFBTrial(
        view.stored.bytes(in: log), keyCount: isAES256 ? 32 : 16,
        vector: view.meta.effectiveVersion >= MetaInfo.Version.vector ? view.meta.vector : nil)
      for index in 0..<candidates.count {
        if index % Self.stride == 0, Deadline.hasPassed { return nil }
        candidates.copy(index, into: &trial.key)
        guard let bits = bits(of: candidates, index, isAES256, &trial),
          bits >= NoiseOdds.leastBits
        else { continue }
        if best.map({ $0.excess < bits - least }) ?? true {
          best = .init(index: index, isAES256: isAES256, excess: bits - least)
        }
      }
    }
    return best
  }

  /// Returns the evidence for a candidate, the key of `trial`, in bits; `nil` if it is wrong.
  private func bits(
    of candidates: KeyCandidates, _ index: Int, _ isAES256: Bool, _ trial: inout CFBTrial
  ) -> Double? {
    func plain() -> FileImage? {
      PayloadCipher(MMKVKey(candidates[index], isAES256: isAES256), view.meta)
        .decrypting(view.stored)
    }
    let bits = end(&trial).flatMap { end in
      plain().flatMap { NoiseOdds(of: log.lowerBound..<end, in: $0, by: view.meta.writer) }
    }.map { $0.bits - (isVerified ? 0 : Self.damageBits) }
    // Lengths in noise may lead to records, too.
    guard !isVerified, bits ?? 0 < NoiseOdds.leastBits, let place = places.first(where: &trial)
    else { return bits }
    return plain().flatMap { places.bits(at: place, of: log, in: $0) }
  }

  /// Returns where the records end that are decrypted with the key of `trial`, from the start of the
  /// log; `nil` if that shows that the key is wrong.
  private func end(_ trial: inout CFBTrial) -> Int? {
    var walk = LengthWalk(count: log.count)
    guard walk.varint(&trial) != nil else { return nil }
    for number in 0..<Self.recordLimit where walk.position < log.count {
      let start = walk.position
      guard walk.skipRecord(&trial) else {
        return !isVerified && number >= Self.chainCount ? log.lowerBound + start : nil
      }
    }
    return walk.position >= log.count || isVerified
      ? log.upperBound : log.lowerBound + walk.position
  }
}

/// A way through a log by the lengths of its records.
private struct LengthWalk {
  let count: Int
  private(set) var position = 0
  /// The bytes that are decrypted.
  private var part = 0..<0

  init(count: Int) { self.count = count }

  private mutating func byte(_ trial: inout CFBTrial) -> UInt8? {
    guard position < count else { return nil }
    if !part.contains(position) {
      let start = position & ~(Cryptography.blockCount - 1)
      trial.decrypt(from: start)
      part = start..<start + CFBTrial.partCount
    }
    defer { position += 1 }
    return trial.clear[position - part.lowerBound]
  }

  /// Reads a varint as the engine does: up to ten bytes, of which 32 bits are kept.
  mutating func varint(_ trial: inout CFBTrial) -> Int32? {
    var value: UInt64 = 0
    for shift in Swift.stride(from: UInt64(0), through: 63, by: 7) {
      guard let byte = byte(&trial) else { return nil }
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return Int32(truncatingIfNeeded: value) }
    }
    return nil
  }

  /// Passes a record, and returns whether its lengths are possible.
  mutating func skipRecord(_ trial: inout CFBTrial) -> Bool {
    guard let keyCount = varint(&trial), keyCount <= RecordShape.engineKeyLimit, skip(keyCount)
    else { return false }
    if keyCount == 0 { return true }
    guard let valueCount = varint(&trial) else { return false }
    return skip(valueCount)
  }

  private mutating func skip(_ length: Int32) -> Bool {
    guard length >= 0, Int(length) <= count - position else { return false }
    position += Int(length)
    return true
  }
}
