/// The numbers by which damaged stores of FastKV for Android are judged, in bits.
enum AndroidPriors {
  /// The least number of bytes that could have had their highest bit, if none in the file has it, for
  /// a transfer in seven bits to be likely: 8 bits against the prior of a transfer as text, and 6 for
  /// a claim that is shown.
  static let clearedBits = 16

  // MARK: Encryption

  /// The number of plausible records from the start of a log that are enough.
  static let chainCount = 16
  /// The most bytes of a log that are examined.
  static let sampleCount = 1 << 16
  /// The number of records in a row that random data does not have.
  static let runCount = 4
  /// In random bytes, about one offset in this many starts something that could be a record.
  static let offsetsPerRecord = 300
  /// A run of records is no evidence if random bytes contain it more often than once in this many
  /// stores.
  static let storesPerRun = 100_000

  // MARK: The choice of the copy

  // No number changes a choice in 492 damaged stores if halved or doubled: what shows an order
  // outweighs the rest, and the engine's order, of 0 to 2 bits, decides only if nothing else does.
  /// The evidence of records that are deleted or appended in one of two copies only.
  static let newerBits = 32
  /// The evidence of all external files beside a copy, against one that lacks some.
  static let externalBits = 16
  /// The evidence of more entries, beside a pair that the engine may not have read.
  static let fullerBits = 8
  /// The evidence of a copy that the engine takes, against one that it drops.
  static let takenBits = 4

  // MARK: The end of the log

  /// The evidence of an end that a header states, and of one that is off by one bit or by two.
  static let lengthBits = [10, 5, 2]
  /// The evidence of an end near one that a header states, as after an insertion or a deletion.
  static let displacedBits = 7
  /// The most bytes that an insertion or a deletion is assumed to have.
  static let displacement = 64
  /// The evidence of zeros after an end.
  static let zeroBits = 6
  /// The evidence of a record after an end, against it.
  static let recordBits = 6
  /// The evidence of a key that has two records, against the end after them.
  static let repeatedBits = 4
  /// The most such keys that are counted.
  static let mostRepeated = 8
  /// The ways to choose the lanes that match, in bits.
  static let laneChoiceBits = 6
  /// The ends among which one matches by chance, in bits.
  static let endChoiceBits = 10
  /// The most evidence of a checksum for an end, as equal records after it cancel out.
  static let mostChecksumBits = 12
  /// How many times the size of the file a length must be, at least, to be absurd.
  static let absurdFactor = 16
  /// The least length that is absurd in any file.
  static let leastAbsurd = 4096

  // MARK: Merging two copies

  /// The most parts that may differ, as every choice is tried.
  static let mostParts = 12
  /// The most equal bytes between two differing ones for both to be in the same run.
  static let runGap = 16
  /// The bytes of a page.
  static let page = 4096
  /// The most evidence of a choice among runs and pages: they contain bytes that may well be
  /// undamaged, and with them come changes that cancel out in the lanes.
  static let coarseBits = 6

  // MARK: Corrections by the lanes

  // A lane gives the XOR of all its changes, so a second change in a corrected lane makes the corrected
  // byte wrong, and a further change may cancel out unseen. So no such correction is proven.
  /// The evidence of a log that decodes only if the change in the lanes is undone at one place.
  static let laneBits = 8
  /// The evidence of an unchanged byte between changed ones, against it.
  ///
  /// In 489 damaged stores, one more entry is wrong with 1, and seven right ones are lost with 3.
  static let holeBits = 2
}
