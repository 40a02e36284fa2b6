import KVBytes
import KVModel

/// A search for single changed bits in records whose CRCs do not match.
///
/// The start of a record is known: after a separator, after a whole record, or after the header. A
/// separator shows its end. Between the two, the CRC syndrome gives the bit if only one changed.
/// With that bit flipped, the record must decode in full: lengths that meet the end, a type and a
/// version that engines write, and text where text belongs (``ApplePlausibility``).
///
/// This assumes that other damage seldom looks like one bit. The odds say how seldom: other damage
/// leads to any particular bit with a probability of 1 in 2^15, and every bit that makes the record
/// decode is a candidate. Below ``CoincidenceOdds/correctedBits``, the correction is applied, but
/// the record still counts as one whose CRC does not match. The stored bytes are certainly wrong,
/// so a correction with little evidence is still the better answer. If the CRC leaves fewer than 4
/// bits of evidence, the record must be a text, or must not have decoded as stored.
///
/// - Complexity: O(count of the range).
struct AppleCorrectionSearch {
  /// The coincidence odds, in bits, that a correction needs if only the CRC supports it.
  private static let leastConfidence = 4
  /// The evidence of the CRC, in bits.
  ///
  /// Its polynomial has the factor x + 1, so damage of an odd number of bits, such as one bit,
  /// leads to only half of its values.
  private static let checksumBits = 15
  /// The longest record, in bytes, in which every bit is tried.
  ///
  /// In longer ones, every bit after the lengths is assumed to make the record decode.
  private static let trialLimit = 256
  /// The number of times by which a seam between two records is likelier than a flipped bit, if
  /// both are possible.
  ///
  /// In 60,000 damaged stores, about one in a hundred such corrections was a seam.
  private static let seamCount = 512
  /// The most bytes that are read again for each byte of the range.
  ///
  /// After a correction, reading continues at its end, which may be long before the previous
  /// position.
  private static let budgetFactor = 8

  private let reader: AppleRecordReader

  init(_ reader: AppleRecordReader) { self.reader = reader }

  /// Returns the corrections in `range`, in order.
  func corrections(in range: Range<Int>) -> [Correction] {
    var found: [Correction] = []
    var walk = AppleWalk(reader, in: range)
    var budget = max(range.count, 1 << 17) * Self.budgetFactor
    // The record area begins with a record.
    var isAnchored = true
    while budget > 0 {
      let start = walk.position
      guard let step = walk.next() else { break }
      if isAnchored || reader.isAfterSeparator(start, from: range.lowerBound), isUnverified(step),
        let correction = correction(at: start, limit: range.upperBound),
        let end = correction.verified?.end
      {
        found.append(correction)
        budget -= max(0, walk.position - end)
        walk.move(to: end)
        isAnchored = true
        continue
      }
      if case .record(let shape) = step {
        isAnchored = shape.integrity == .verified && shape.ending != .missingSeparator
      } else {
        isAnchored = false
      }
    }
    return found
  }

  private func isUnverified(_ step: AppleWalk.Step) -> Bool {
    guard case .record(let shape) = step else { return true }
    return shape.integrity == .contradicted && shape.lengths == .fitting
  }

  /// Returns the correction of a record that starts at `start` and ends before the next separator.
  private func correction(at start: Int, limit: Int) -> Correction? {
    let separator = reader.dialect.separatorBytes
    let within = start..<min(limit, start + CRC16Syndrome.countLimit + 2 + separator.count)
    let first = start + reader.dialect.fixedCount + 2
    guard first < within.upperBound,
      let fields = reader.fields(at: start, limit: within.upperBound),
      let end = reader.image.firstOccurrence(of: separator, in: first..<within.upperBound),
      let bit = bit(of: start..<end)
    else { return nil }
    var candidates = candidateCount(of: start..<end)
    if mayBeSeam(bit.offset, in: fields) { candidates *= Self.seamCount }
    // The stored bytes are certainly wrong, as the record's own checksum does not match.
    return Correction(
      [.change(ByteChange(.data, at: start + bit.offset, xor: bit.mask))],
      by: AppleOneBit.self, verifying: Extent(.data, start..<end + separator.count),
      CoincidenceOdds(checksumBits: Self.checksumBits, candidates: Double(candidates)),
      neededBits: 0,
      reason: "flipping bit \(bit.mask.trailingZeroBitCount) of this byte makes the record at "
        + "\(Hexadecimal.text(start)) "
        + (isWhole(bytes(of: start..<end)) ? "match its CRC" : "decode and its CRC match"))
  }

  /// Returns whether `fields`, as stored, can be those of another record up to the field at
  /// `offset`.
  ///
  /// If bytes were shifted, the front of one record precedes the rest of another. If that seam is
  /// among the fields, and the fields before it differ in one bit, flipping that bit makes the
  /// second record whole although it never changed. One byte earlier, the `$` that ends a separator
  /// is in the place of the type.
  private func mayBeSeam(_ offset: Int, in fields: AppleRecordReader.Fields) -> Bool {
    let width = reader.dialect.width
    let lengths = width + 4
    switch offset {
    case ..<width:
      return fields.type <= AppleType.data.rawValue || fields.type == UInt64(UInt8(ascii: "$"))
    case ..<lengths: return false
    case ..<(lengths + width): return fields.classCount <= 0xff
    case ..<(lengths + 2 * width): return fields.keyCount <= 0xff
    case ..<(lengths + 3 * width): return fields.valueCount <= 0xffff
    default: return false
    }
  }

  /// Returns the bit that the CRC of the record in `piece`, the bytes before a separator, gives, if the
  /// record decodes with that bit flipped.
  private func bit(of piece: Range<Int>) -> CRC16Syndrome.Bit? {
    let stored = piece.upperBound - 2..<piece.upperBound
    let computed = CRC16.digest(of: reader.image, in: piece.lowerBound..<stored.lowerBound)
    let syndrome = CRC16Syndrome(
      computed: computed, stored: UInt16(reader.image.littleEndian(in: stored)),
      count: piece.count - 2)
    guard let bit = syndrome.bit else { return nil }
    var bytes = bytes(of: piece)
    let isText = bytes[0] == UInt8(AppleType.string.rawValue)
    let isSpokenFor = syndrome.confidence >= Self.leastConfidence || isText || !isWhole(bytes)
    bytes[bit.offset] ^= bit.mask
    return isSpokenFor && isWhole(bytes) ? bit : nil
  }

  /// Returns the number of bits of `piece` with which flipped it decodes, or an upper estimate.
  ///
  /// Each is a correction that would have been made if the CRC had given that bit.
  ///
  /// - Complexity: O(the square of `piece.count`, up to the limit, and linear beyond it).
  private func candidateCount(of piece: Range<Int>) -> Int {
    var bytes = bytes(of: piece)
    let fixedCount = reader.dialect.fixedCount
    let isTried = piece.count <= Self.trialLimit
    // No bit after the lengths changes whether they meet the end.
    let isFramed = parts(of: bytes) != nil
    var count = 0
    for offset in 0..<(isTried && isFramed ? piece.count : fixedCount) {
      for bit in 0..<8 {
        bytes[offset] ^= 1 << UInt8(bit)
        if isWhole(bytes) { count += 1 }
        bytes[offset] ^= 1 << UInt8(bit)
      }
    }
    return isFramed && !isTried ? count + (piece.count - fixedCount) * 8 : count
  }

  /// Returns the parts of the record in `bytes`, its separator included; `nil` if the lengths do
  /// not meet its end.
  private func parts(
    of bytes: [UInt8]
  ) -> (className: Range<Int>, key: Range<Int>, value: Range<Int>)? {
    let end = bytes.count - reader.dialect.separatorBytes.count
    let own = AppleRecordReader(FileImage(bytes), reader.dialect)
    guard let fields = own.fields(at: 0, limit: end),
      let parts = own.parts(of: fields, at: 0, limit: end), parts.value.upperBound + 2 == end
    else { return nil }
    return parts
  }

  /// Returns the bytes of `piece` and of the separator after it.
  private func bytes(of piece: Range<Int>) -> [UInt8] {
    reader.image.bytes(in: piece) + reader.dialect.separatorBytes
  }

  /// Returns whether `bytes` are one plausible record, its separator included; the CRC is not
  /// checked.
  private func isWhole(_ bytes: [UInt8]) -> Bool {
    let image = FileImage(bytes)
    let end = bytes.count - reader.dialect.separatorBytes.count
    guard let parts = parts(of: bytes), !image.isZero(in: 0..<end),
      let fields = AppleRecordReader(image, reader.dialect).fields(at: 0, limit: end),
      fields.isUsual, let type = AppleType(rawValue: fields.type)
    else { return false }
    return ApplePlausibility(image).isWritten(
      type, className: parts.className, key: parts.key, value: parts.value)
  }
}
