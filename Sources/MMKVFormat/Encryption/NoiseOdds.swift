import KVBytes
import KVModel

/// How much likelier the bytes of a log are what an engine wrote than noise, in bits.
///
/// Nothing in a store says which key it was encrypted with, and the checksum covers the ciphertext: it
/// matches with any key. A wrong key decrypts a log to noise, and noise decodes now and then. Each
/// witness adds log2 of how much likelier it is in a log than in noise:
///
///     witness                                                     bits
///     the prefix, as engines since 1.2.0 write it                 4 to 28
///     each length byte, less the ways to place as many of them    about 14 for one short record
///     the same, less the rarity of such lengths, if that is more  about 5 for one short record
///     a key of k bytes of text                                    1.4 k
///     a key that is not text                                      -4, less where other keys are none
///     a value with an inner length that meets its end             7 and more
///     a Boolean, a common double, a varint in its shortest form   6, 4, half its bits
///     a value of no shape that the engine's API makes             -8
///
/// So keys of bytes count against a reading only as far as they are rare, and a chain of records that
/// meets the end of the log outweighs them. When it is wrong: a log of a few bytes, whose bits are too
/// few to tell; see ``leastBits``.
///
/// Reference: `Docs/RECOVERY.md` § Keys and vectors.
struct NoiseOdds {
  /// The bits from which a reading with a key is believed.
  ///
  /// Of 1,500,000 random logs of 5 to 60 bytes, 0.5% decode to their end and 7 reach 8 bits; of 6,000
  /// stores of one to four entries with unusual keys, one has less.
  static let leastBits = 8.0
  /// The bits from which one record without a key is believed: nobody said that there is a key.
  static let leastPlainBits = -12.0
  /// The longest log that can hold no record: the shortest record has four bytes and its prefix one.
  static let emptyCount = 4

  /// How many records are looked at: a log of a million is not read twice to know its key.
  private static let recordLimit = 64

  /// log2 of P(bytes | a log) / P(bytes | noise).
  let bits: Double

  /// The odds of the log at `log` of the decrypted `image`, or `nil` where the records that are looked
  /// at do not decode.
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
    // Where the end of the log is met, the last length is no free choice.
    let isWhole = position == log.upperBound
    let places = 2 * keys.count - (isWhole ? 1 : 0) + zeros
    if keys.count > 0 {
      let waysToPlace =
        Logarithm.base2(position - start, choose: places)
        + (keys.count > 1 ? Logarithm.base2(Double(position - start)) : 0)
      // One long value makes a log of short entries one of countless places.
      bits += Double(8 * lengthBytes) - min(waysToPlace, rarity)
    }
    self.bits = bits
  }

  /// Whether the log at `log` of `image` has more than one record, and all that are looked at decode.
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

  /// -log2 of how often a key and a value are as long as those of `record`, where nothing is known of the
  /// app.
  ///
  /// 1 in n(n + 1) adds up to 1 over all n, and leaves long values their share.
  private static func rarity(ofLengthsIn record: Record) -> Double {
    [record.key.count, record.value.count].reduce(0) { bits, count in
      bits + Logarithm.base2(Double(count + 1)) + Logarithm.base2(Double(count + 2))
    }
  }

  /// What the bytes at `range`, where the prefix is, say for a log.
  static func prefixBits(_ image: FileImage, _ range: Range<Int>, _ writer: Writer) -> Double {
    guard range.count == DataHeader.prefixCount, image[range.upperBound - 1] != 0 else {
      return writer.otherPrefixBits
    }
    // As MMKV 1.2.0 to 1.3.7 write it, the constant 0xffffff; later, a random number from 0x200000 on.
    return image.bytes(in: range) == [0xff, 0xff, 0xff, 0x07] ? 28 : 4
  }

  /// Who may have written a log, as far as that says something of its prefix.
  enum Writer {
    /// Any engine.
    case any
    /// One that states meta version 4: only a store that was made before 1.2.0, and whose prefix was
    /// kept by every rewrite since, has another prefix.
    case recent

    /// What a prefix of another length than four bytes says: engines before 1.2.0 write such.
    fileprivate var otherPrefixBits: Double {
      switch self {
      case .any: -3
      case .recent: -22
      }
    }
  }

  /// What a value says for a record.
  static func valueBits(_ value: Range<Int>, in image: FileImage) -> Double {
    guard !value.isEmpty else { return 0 }
    let plain = shapeBits(value, in: image)
    guard value.count > ExpirySuffix.byteCount else { return plain }
    return max(plain, shapeBits(value.dropLast(ExpirySuffix.byteCount), in: image)) - 1
  }

  /// What a value of no shape that the engine's API makes says against a record.
  private static let oddBits = -8.0

  private static func shapeBits(_ value: Range<Int>, in image: FileImage) -> Double {
    let content = Plausibility.content(of: value, in: image)
    if content != value { return Double(8 * (value.count - content.count)) - 1 }
    switch value.count {
    case 1:
      let byte = image[value.lowerBound]
      // Most values of one byte are Booleans; none is from 0x80 on.
      return byte < 2 ? 6 : byte < 0x80 ? -0.5 : oddBits
    case 4: return 0
    case 8:
      // A double between 2^-31 and 2^64, or 0.
      let top = image[value.upperBound - 1] & 0x7f
      return (0x3e...0x43).contains(top) || image.isZero(in: value) ? 4 : -2
    case 2...10:
      var cursor = ByteCursor(image.storageSpan, in: value)
      guard let number = try? cursor.readVarint(), cursor.isAtEnd,
        ByteWriter.varintCount(number) == value.count
      else { return oddBits }
      // Each byte but the last goes on. A number of 64 bits ends in 1, as negative ones do.
      return value.count == 10 ? 16 : Double(value.count - 1)
    default: return oddBits
    }
  }

  /// What keys say, each after those before it.
  struct KeyTally {
    /// How many keys there were.
    private(set) var count = 0
    // As if ten keys had been seen: of a hundred apps, about five have keys of bytes.
    private var odd = 0.5
    private var all = 10.0

    /// What the key at `range` says, which then counts.
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

    /// What `count` bytes of text say for a key: of random bytes, 95 in 256 are printable.
    func textBits(_ count: Int) -> Double {
      1.43 * Double(count) + Logarithm.base2(1 - odd / all)
    }

    /// What a key that is not text says: less than 0.
    var oddBits: Double { Logarithm.base2(odd / all) }
  }
}

extension MetaInfo {
  /// Who may have written the log of an encrypted store with these fields.
  var writer: NoiseOdds.Writer { effectiveVersion >= Version.flags ? .recent : .any }
}
