/// The numbers by which damaged stores of FastKV for Android are judged, in bits.
enum AndroidPriors {
  /// The least number of bytes that could have had their highest bit, if none in the file has it, for
  /// a transfer in seven bits to be likely: 8 bits against the prior of a transfer as text, and 6 for
  /// a claim that is shown.
  static let clearedBits = 16

  // MARK: The choice of the copy

  // No number changes a choice in 492 damaged stores if halved or doubled: what shows an order
  // outweighs the rest, and the engine's order, of 0 to 2 bits, decides only if nothing else does.
  /// The evidence of records that are deleted or appended in one of two copies only.
  static let newerBits = 32
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
  /// The ends among which one matches by chance, in bits.
  static let endChoiceBits = 10
  /// The most evidence of a checksum for an end, as equal records after it cancel out.
  static let mostChecksumBits = 12
  /// How many times the size of the file a length must be, at least, to be absurd.
  static let absurdFactor = 16
  /// The least length that is absurd in any file.
  static let leastAbsurd = 4096
}
