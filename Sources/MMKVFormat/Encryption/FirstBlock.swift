import KVBytes
import KVCryptography
import KVModel

/// The first block of an encrypted payload, the only one that needs the vector.
///
/// The checksum covers the ciphertext, so it matches with any vector. A damaged vector turns the
/// first block into noise, and noise can decode: a wrong length then swallows whole records. So the
/// bytes of the block are weighed against noise on the scale of ``NoiseOdds``, and the result
/// against the rarity of a damaged vector.
struct FirstBlock {
  /// The log2 of the probability that the vector is damaged although every checksum matches: it is
  /// 16 of the 112 bytes that no checksum covers.
  static let vectorPrior = -15.0
  /// The evidence, in bits, that the block leads to where the records after it begin.
  private static let framingBits = 6.0
  /// The number of records after the block that show what keys look like.
  private static let sampleCount = 64

  /// The part of the block that is in the log; `nil` in a plaintext store.
  let extent: Extent?
  /// How trustworthy the vector is; `nil` if the block does not lead to records, which shows by itself
  /// that the vector or the block is damaged.
  let trust: Trust?

  /// How likely the stated vector is right rather than damaged.
  enum Trust {
    /// It is right, with odds of 2^10 or better.
    case right
    /// It is more likely right than damaged.
    case unverified
    /// It is more likely damaged than right.
    case damaged

    fileprivate init(bits: Double) {
      self = bits >= 10 ? .right : bits >= 0 ? .unverified : .damaged
    }
  }

  /// Evaluates the first block of the log of `view`.
  init(_ view: MMKVView) {
    guard view.key != nil, let log = view.lengthClaims.first?.log, log.count > 0 else {
      extent = nil
      trust = .right
      return
    }
    extent = Extent(.data, FirstBlock.range(of: log.range))
    let bits = FirstBlock.bits(of: log.range, in: view.plain, by: view.meta.writer)
    trust = bits.map { Trust(bits: $0 - FirstBlock.vectorPrior) }
  }

  /// Returns whether the vector of `view` is right, by the first block of `log`.
  ///
  /// A vector that the meta file was cut before is not; the oldest engines store only the checksum. If
  /// neither that nor the one of the last full rewrite matches over the log as stated, the fields are
  /// of several moments, and nothing speaks for the vector in advance.
  static func isRight(_ view: MMKVView, for log: Extent) -> Bool {
    guard
      view.metaCount == MetaInfo.Field.digest.upperBound
        || view.metaCount >= MetaInfo.Field.vector.upperBound,
      let bits = bits(of: log.range, in: view.plain, by: view.meta.writer)
    else { return false }
    let isConsistent = view.lengthClaims.contains { $0.role != .alternate && $0.isVerified }
    return Trust(bits: isConsistent ? bits - vectorPrior : bits) == .right
  }

  /// Returns where the last record ends that begins in the first block of `log`, as it is decoded;
  /// `nil` if the block does not lead to a record's end.
  static func end(in log: Range<Int>, of image: FileImage) -> Int? {
    let block = range(of: log)
    var end: Int?
    for event in MMKVRecords(image, in: log, mode: .plain, isEncrypted: true) {
      guard event.extent.offset < block.upperBound else { return end }
      switch event {
      case .gap: return nil
      case .filler: continue
      case .record(let record): end = record.extent.end
      }
    }
    return end
  }

  private static func range(of log: Range<Int>) -> Range<Int> {
    log.lowerBound..<min(log.lowerBound + Cryptography.blockCount, log.upperBound)
  }

  /// Returns how much likelier the first block of the log at `log` in the decrypted `image` is to
  /// be part of a log than noise, in bits; `nil` if it does not lead to records.
  static func bits(
    of log: Range<Int>, in image: FileImage, by writer: NoiseOdds.Writer
  ) -> Double? {
    let block = range(of: log)
    var bits = framingBits - notExplainedBits(by: log, in: image, writer)
    var prefix: Range<Int>?
    var (first, ends): ([Record], [Int]) = ([], [])
    var textStart: Int?
    var keys = NoiseOdds.KeyTally()
    reading: for event in MMKVRecords(image, in: log, mode: .plain, isEncrypted: true) {
      switch event {
      case .gap(let gap):
        // What comes after the block does not need the vector.
        guard gap.extent.offset >= block.upperBound else { return nil }
        break reading
      case .filler(let filler) where filler.offset == log.lowerBound:
        prefix = filler.range
        bits += NoiseOdds.prefixBits(image, filler.range, writer)
      case .filler: continue
      case .record(let record):
        ends.append(record.extent.end)
        if record.offset < block.upperBound {
          first.append(record)
        } else {
          let isText = Plausibility.isText(image, record.key)
          if isText { textStart = textStart ?? record.offset }
          keys.add(isText: isText)
        }
      }
      if keys.count == sampleCount { break }
    }
    if let last = first.last {
      bits -= swallowedBits(
        in: last, after: block.upperBound, of: image, in: log, ends: ends, upTo: textStart)
    }
    bits = first.reduce(bits) { $0 + recordBits($1, block, keys, in: image) }
    // A repair keeps records that no engine writes; the vector is at worst unverified.
    guard bits < vectorPrior, let prefix, isKnown(prefix, of: log, in: image) else { return bits }
    return vectorPrior
  }

  /// Returns where the likeliest log begins that goes from soon after the first block of `log` to its
  /// end, and its odds in bits, less the ways to choose that place; `nil` if the whole may be noise.
  ///
  /// With the right key, these bytes do not depend on the vector, whose damage is to be outweighed.
  static func rest(
    of log: Range<Int>, in image: FileImage, by writer: NoiseOdds.Writer
  ) -> (start: Int, bits: Double)? {
    let starts = log.dropFirst(Cryptography.blockCount).prefix(restLimit)
    // In the rest of a long key, a letter is often the number of those after it.
    let begins = starts.lazy.filter { start in
      !image.storageSpan.isPrintableASCII(in: max(starts.lowerBound, start - 1)..<start + 1)
    }
    let logs = begins.compactMap { start in
      NoiseOdds(of: start..<log.upperBound, in: image, by: writer)
        .map { (start: start, bits: $0.bits - Logarithm.base2(Double(restLimit))) }
    }
    return logs.max { $0.bits < $1.bits }
      .flatMap { $0.bits >= NoiseOdds.leastBits - vectorPrior ? $0 : nil }
  }

  /// The number of places after the block at which a record may begin.
  private static let restLimit = 128

  /// Returns by how many bits what follows the block is likelier a log than the whole of `log` is, if
  /// that may well be noise; 0 if it is not likelier.
  private static func notExplainedBits(
    by log: Range<Int>, in image: FileImage, _ writer: NoiseOdds.Writer
  ) -> Double {
    guard let whole = NoiseOdds(of: log, in: image, by: writer)?.bits, whole < NoiseOdds.leastBits,
      let rest = rest(of: log, in: image, by: writer)
    else { return 0 }
    return max(0, rest.bits - whole)
  }

  /// Returns whether noise does not have the prefix at `prefix` of `log`: MMKV 1.2.0 to 1.3.7 write the
  /// same into every log, and kvfsck one that depends on the records.
  private static func isKnown(
    _ prefix: Range<Int>, of log: Range<Int>, in image: FileImage
  ) -> Bool {
    NoiseOdds.prefixBits(image, prefix, .any) > -vectorPrior
      || MMKVWriter.hasPrefix(prefix, ofLog: log, in: image)
  }

  /// Returns the evidence, in bits, that `record`, which begins in the block, has swallowed whole
  /// records after `start`.
  ///
  /// Such evidence is a chain of records with text keys that ends where a record of the log does,
  /// at one of `ends`, or goes on where no record follows the last of them. Noise that is taken for
  /// a length causes that; a value in which such a chain begins by coincidence is rare. What is in a
  /// key of text is text in any case, and from `textStart` on records with such keys explain the
  /// bytes.
  private static func swallowedBits(
    in record: Record, after start: Int, of image: FileImage, in log: Range<Int>, ends: [Int],
    upTo textStart: Int?
  ) -> Double {
    // A list of strings is such a chain too; noise seldom makes a value whose inner length fits.
    // So does such a value with an expiry time after it.
    let isList = [record.value, record.value.dropLast(ExpirySuffix.byteCount)].contains {
      Plausibility.content(of: $0, in: image) != $0
    }
    let isText = Plausibility.isText(image, record.key)
    guard let last = ends.last, !isList || !isText else { return 0 }
    let boundaries = Set(ends)
    let end = isList ? record.key.upperBound : record.extent.end
    let free = (isText ? record.key.upperBound : record.offset)..<(textStart ?? last)
    let offsets = start..<max(start, min(end, start + swallowedLimit))
    let best =
      offsets.lazy.map { offset in
        var bits = 0.0
        let rest = offset..<log.upperBound
        for event in MMKVRecords(image, in: rest, mode: .plain, isEncrypted: true) {
          guard case .record(let inner) = event, Plausibility.isText(image, inner.key) else {
            break
          }
          bits += 1.43 * Double(inner.key.clamped(to: free).count)
          if inner.extent.end <= free.upperBound {
            bits += NoiseOdds.valueBits(inner.value, in: image)
          }
          let innerEnd = inner.extent.end
          if innerEnd > last || boundaries.contains(innerEnd) { return bits }
        }
        return 0.0
      }.max() ?? 0
    return best > 0 ? max(0, best + framingBits - Logarithm.base2(Double(offsets.count))) : 0
  }

  /// The number of bytes in which swallowed records are searched for.
  private static let swallowedLimit = 1024

  /// Returns the evidence in the part of `record` that is in `block`, in bits.
  private static func recordBits(
    _ record: Record, _ block: Range<Int>, _ keys: NoiseOdds.KeyTally, in image: FileImage
  ) -> Double {
    let inside = record.key.clamped(to: block)
    let outside = inside.upperBound..<record.key.upperBound
    var bits = 0.0
    if Plausibility.isText(image, record.key) {
      bits += keys.textBits(inside.count)
    } else if outside.isEmpty || Plausibility.isText(image, outside) {
      bits += keys.oddBits
    }
    // The value's length, or its inner length, is in the block.
    if record.key.upperBound < block.upperBound {
      bits += NoiseOdds.valueBits(record.value, in: image)
    }
    return bits
  }
}
