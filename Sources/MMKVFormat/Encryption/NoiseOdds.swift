import KVBytes
import KVModel

/// How much likelier the bytes of a log were written by an engine than are noise, in bits.
///
/// Nothing in a store says which key it was encrypted with, and the checksum covers the ciphertext,
/// so it matches with any key. A wrong key decrypts a log to noise, and noise sometimes decodes.
/// Each piece of evidence adds the log2 of how much likelier it is in a log than in noise:
///
///     evidence                                                    bits
///     the prefix, as engines since 1.2.0 write it                 4 to 28
///     each length byte, less the ways to place that many          about 14 for one short record
///     the same, less the rarity of such lengths, if that is more  about 5 for one short record
///     a key of k bytes of text                                    1.4 k
///     a key that is not text                                      -4, less if other keys are not
///     a value with an inner length that matches its end           7 and more
///     a value that begins as a property list does                 56
///     a Boolean, a common double, a varint in its shortest form   6, 4, half its bits
///     a value of no shape that the engine's API writes            -8
///
/// So keys that are not text count against a reading only as far as they are rare, and a chain of
/// records that ends exactly at the end of the log outweighs them. The odds fail for a log of a few
/// bytes, whose bits are too few to tell; see ``leastBits``.
///
/// Reference: `Docs/JUDGEMENT.md` § Keys and vectors.
struct NoiseOdds {
  /// The bits from which a reading with a key is accepted.
  ///
  /// Of 1,500,000 random logs of 5 to 60 bytes, 0.5% decode to their end and 7 reach 8 bits. Of
  /// 6,000 stores of one to four entries with unusual keys, one has fewer.
  static let leastBits = 8.0
  /// The bits from which a single record without a key is accepted: nothing suggests encryption
  /// then.
  static let leastPlainBits = -12.0
  /// The longest log that can hold no record: the shortest record has four bytes, and its prefix
  /// one.
  static let emptyCount = 4

  /// The number of records that are examined, so that a log of a million is not read twice.
  private static let recordLimit = 64

  /// The log2 of P(bytes | a log) / P(bytes | noise).
  let bits: Double

  /// Computes the odds of the log at `log` in the decrypted `image`; `nil` if an examined record
  /// does not decode.
  init?(of log: Range<Int>, in image: FileImage, by writer: Writer) {
    var bits = 0.0
    var keys = KeyTally()
    var lengthBytes = 0
    var rarity = 0.0
    var zeros = 0
    var start = log.lowerBound
    var position = log.lowerBound
    for event in MMKVRecords(image, in: log, mode: .plain, isEncrypted: false) {
      switch event {
      case .gap: return nil
      case .filler(let filler):
        if filler.offset == DataHeader.byteCount {
          bits += Self.prefixBits(image, filler.range, writer)
          start = filler.end
        } else {
          zeros += filler.count
        }
      case .record(let record):
        lengthBytes += record.count - record.key.count - record.value.count
        rarity += Self.rarity(ofLengthsIn: record)
        bits += keys.bits(ofKey: record.key, in: image)
        bits += Self.valueBits(record.value, in: image)
      }
      position = event.extent.end
      if keys.count == Self.recordLimit { break }
    }
    // If the records end at the end of the log, the last length is not a free choice.
    let isWhole = position == log.upperBound
    let places = 2 * keys.count - (isWhole ? 1 : 0) + zeros
    if keys.count > 0 {
      let waysToPlace =
        Logarithm.base2(position - start, choose: places)
        + (keys.count > 1 ? Logarithm.base2(Double(position - start)) : 0)
      // A single long value would make a log of short entries one of countless possibilities.
      bits += Double(8 * lengthBytes) - min(waysToPlace, rarity)
    }
    self.bits = bits
  }

  /// Returns whether the log at `log` in `image` has more than one record, and all that are
  /// examined decode.
  static func hasSeveralRecords(_ log: Range<Int>, in image: FileImage) -> Bool {
    var count = 0
    for event in MMKVRecords(image, in: log, mode: .plain, isEncrypted: false) {
      switch event {
      case .gap: return false
      case .filler: continue
      case .record: count += 1
      }
      if count == recordLimit { break }
    }
    return count > 1
  }

  /// Returns the -log2 of how often a key and a value have the lengths of those of `record`, if
  /// nothing is known about the app.
  ///
  /// The probability 1 / n(n + 1) sums to 1 over all n and leaves long values their share.
  private static func rarity(ofLengthsIn record: Record) -> Double {
    rarity(ofLength: record.key.count) + rarity(ofLength: record.value.count)
  }

  private static func rarity(ofLength count: Int) -> Double {
    Logarithm.base2(Double(count + 1)) + Logarithm.base2(Double(count + 2))
  }

  /// Returns the evidence in one record by itself, whose key is text; without that in the key, if
  /// an earlier record has the same.
  static func bits(of shape: RecordShape, in image: FileImage, hasNewKey: Bool) -> Double {
    let key = shape.key
    let keyBits =
      Double(8 * (key.lowerBound - shape.range.lowerBound)) - rarity(ofLength: key.count)
      + KeyTally().textBits(key.count)
    return (hasNewKey ? keyBits : 0) + Double(8 * (shape.value.lowerBound - key.upperBound))
      - rarity(ofLength: shape.value.count) + valueBits(shape.value, in: image)
  }

  /// Returns the evidence for a log in the bytes at `range`, the place of the prefix, in bits.
  static func prefixBits(_ image: FileImage, _ range: Range<Int>, _ writer: Writer) -> Double {
    guard range.count == DataHeader.prefixCount, image[range.upperBound - 1] != 0 else {
      return writer.otherPrefixBits
    }
    // MMKV 1.2.0 to 1.3.7 write the constant 0xffffff; later versions, a random number from
    // 0x200000.
    return image.bytes(in: range) == [0xff, 0xff, 0xff, 0x07] ? 28 : 4
  }

  /// The engines that may have written a log, as far as that affects its prefix.
  enum Writer {
    /// Any engine.
    case any
    /// An engine that writes meta version 4: only a store that was created before 1.2.0, and whose
    /// prefix every rewrite since has kept, has another prefix.
    case recent

    /// The evidence in a prefix that does not have four bytes, in bits: engines before 1.2.0 write
    /// those.
    fileprivate var otherPrefixBits: Double {
      switch self {
      case .any: -3
      case .recent: -22
      }
    }
  }

  /// Returns the evidence in a value for a record, in bits.
  static func valueBits(_ value: Range<Int>, in image: FileImage) -> Double {
    guard !value.isEmpty else { return 0 }
    let plain = shapeBits(value, in: image)
    guard value.count > ExpirySuffix.byteCount else { return plain }
    return max(plain, shapeBits(value.dropLast(ExpirySuffix.byteCount), in: image)) - 1
  }

  /// The evidence against a record in a value of no shape that the engine's API writes.
  private static let oddBits = -8.0

  private static func shapeBits(_ value: Range<Int>, in image: FileImage) -> Double {
    let content = Plausibility.content(of: value, in: image)
    if content != value { return Double(8 * (value.count - content.count)) - 1 }
    switch value.count {
    case 1:
      let byte = image[value.lowerBound]
      // Most values of one byte are Booleans; none is 0x80 or above.
      return byte < 2 ? 6 : byte < 0x80 ? -0.5 : oddBits
    case 4: return 0
    case 8:
      // A double with a magnitude from 2^-31 to below 2^65, or 0.
      let top = image[value.upperBound - 1] & 0x7f
      return (0x3e...0x43).contains(top) || image.isZero(in: value) ? 4 : -2
    case 2...10:
      var cursor = ByteCursor(image.storageSpan, in: value)
      guard let number = try? cursor.readVarint(), cursor.isAtEnd,
        ByteWriter.varintCount(number) == value.count
      else { return oddBits }
      // Each byte but the last has its top bit set. A varint of ten bytes, such as a negative
      // number, ends in 1.
      return value.count == 10 ? 16 : Double(value.count - 1)
    // Eight given bytes, in one of 2^8 values.
    default: return Plausibility.isArchive(value, in: image) ? 56 : oddBits
    }
  }

  /// The evidence in keys, each in the light of those before it.
  struct KeyTally {
    /// The number of keys so far.
    private(set) var count = 0
    // Start as if ten keys had been seen: about 5 of 100 apps have keys that are not text.
    private var odd = 0.5
    private var all = 10.0

    /// Returns the evidence in the key at `range`, and then counts it.
    mutating func bits(ofKey range: Range<Int>, in image: FileImage) -> Double {
      let isText = Plausibility.isText(image, range)
      let bits = isText ? textBits(range.count) : oddBits
      add(isText: isText)
      return bits
    }

    /// Counts a key.
    mutating func add(isText: Bool) {
      if !isText { odd += 1 }
      all += 1
      count += 1
    }

    /// Returns the evidence in `count` bytes of text in a key: 95 of 256 random bytes are
    /// printable.
    func textBits(_ count: Int) -> Double {
      1.43 * Double(count) + Logarithm.base2(1 - odd / all)
    }

    /// The evidence in a key that is not text, which is negative.
    var oddBits: Double { Logarithm.base2(odd / all) }
  }
}

extension MetaInfo {
  /// The engines that may have written the log of an encrypted store with these fields.
  var writer: NoiseOdds.Writer { effectiveVersion >= Version.flags ? .recent : .any }
}
