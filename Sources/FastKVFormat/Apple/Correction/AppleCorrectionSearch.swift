import KVBytes
import KVModel

/// Looks for single changed bits in records whose CRCs do not hold.
///
/// Where a record begins is known: after a separator, or a record that is whole, or the header. Where
/// it ends, a separator tells. Between the two the CRC says which bit it is, if it was one, and with
/// that bit flipped the record must decode in full: lengths that meet the end, a type and a version
/// that engines write, text where text belongs (``ApplePlausibility``).
///
/// What it assumes: that damage of other kinds seldom looks like one bit. How seldom, its odds say: other
/// damage leads to any one bit with a chance of 1 in 2^15, and there are as many bits that would be
/// believed as make the record decode. Below ``CoincidenceOdds/correctedBits`` the record stays one whose
/// CRC does not hold. As stored its bytes are wrong for certain, so that a bit of little odds is still the
/// better answer; with less than 4 bits of the CRC to spare, it needs a text or a length to speak for it.
///
/// - Complexity: O(count of the range).
struct AppleCorrectionSearch {
  /// The coincidence odds, in bits, that a correction needs where only the CRC supports it.
  private static let leastConfidence = 4
  /// The bits of the CRC that speak for a correction: it has the factor x + 1, so that damage of an odd
  /// number of bits, as a single one is, leads to half of its values only.
  private static let checksumBits = 15
  /// Up to how many bytes of a record every bit is tried for whether the record decodes with it changed;
  /// of longer ones, all after the lengths count as if it did.
  private static let trialLimit = 256
  /// How many separators are tried as the end of a record: the first ones may lie in its value.
  private static let endLimit = 4
  /// How many times as likely a seam between two records is as a flipped bit, where both are possible: in
  /// 60,000 damaged stores one in some hundred of such corrections was a seam.
  private static let seamCount = 512
  /// How many bytes may be read anew for each byte of the range: after a correction, reading goes on
  /// at its end, which may be long before where it was.
  private static let budgetFactor = 8

  private let reader: AppleRecordReader

  init(_ reader: AppleRecordReader) { self.reader = reader }

  /// The corrections in `range`, in order.
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

  /// The one correction of a record that begins at `start`, if there is exactly one.
  private func correction(at start: Int, limit: Int) -> Correction? {
    let separator = reader.dialect.separatorBytes
    let within = start..<min(limit, start + CRC16Syndrome.countLimit + 2 + separator.count)
    guard let fields = reader.fields(at: start, limit: within.upperBound), isNearly(fields) else {
      return nil
    }
    var found: [(piece: Range<Int>, bit: CRC16Syndrome.Bit)] = []
    var ends: [Int] = []
    var digest = CRC16()
    var digested = start
    var position = start + reader.dialect.fixedCount + 2
    var tried = 0
    while tried < Self.endLimit, position < within.upperBound,
      let end = reader.image.firstOccurrence(of: separator, in: position..<within.upperBound)
    {
      digest.update(reader.image.storageSpan, in: digested..<end - 2)
      digested = end - 2
      if let bit = bit(of: start..<end, computed: digest.value) { found.append((start..<end, bit)) }
      ends.append(end)
      position = end + 1
      tried += 1
    }
    guard found.count == 1, let (piece, bit) = found.first else { return nil }
    var candidates = ends.reduce(0) { $0 + candidateCount(of: start..<$1) }
    if mayBeSeam(bit.offset, in: fields) { candidates *= Self.seamCount }
    let odds = CoincidenceOdds(
      checksumBits: Self.checksumBits, candidates: Double(candidates))
    // As stored the record's bytes are wrong for certain: its own checksum does not match.
    return Correction(
      [.change(ByteChange(.data, at: piece.lowerBound + bit.offset, xor: bit.mask))],
      by: AppleOneBit.self,
      verifying: Extent(.data, piece.lowerBound..<piece.upperBound + separator.count), odds,
      neededBits: 0,
      reason: "with bit \(bit.mask.trailingZeroBitCount) of this byte corrected the CRC of the "
        + "record at \(Hexadecimal.text(piece.lowerBound)) holds"
        + (isWhole(bytes(of: piece)) ? "" : ", and it decodes, which it did not"))
  }

  /// Whether `fields`, as stored, can be those of another record up to the one with the byte at `offset`.
  ///
  /// Where bytes were shifted, the front of one record stands before the rest of another one. If the seam
  /// lies among the fields, and those before it differ in one bit, then that bit makes the second record
  /// whole: it is not the bit that was changed. One byte before that, the `$` at the end of a separator
  /// stands in the type's place.
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

  /// Whether the fields are at most one bit away from those that engines write: most places are told by
  /// that.
  private func isNearly(_ fields: AppleRecordReader.Fields) -> Bool {
    (fields.type & ~0xf).nonzeroBitCount + (fields.version ^ 1).nonzeroBitCount
      + (fields.classCount & ~0x7ff).nonzeroBitCount <= 1
  }

  /// The bit of the record that fills `piece`, the bytes before a separator, which its CRC names,
  /// and with which changed it decodes; `computed` is the CRC of all but its last two bytes.
  private func bit(of piece: Range<Int>, computed: UInt16) -> CRC16Syndrome.Bit? {
    let stored = piece.upperBound - 2..<piece.upperBound
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

  /// How many bits of `piece` there are with which changed it decodes, or somewhat more: each is a
  /// correction that would have been made if the CRC had named it.
  ///
  /// - Complexity: O(the square of `piece.count`, up to the limit, and linear beyond it).
  private func candidateCount(of piece: Range<Int>) -> Int {
    var bytes = bytes(of: piece)
    let fixedCount = reader.dialect.fixedCount
    let isTried = piece.count <= Self.trialLimit
    // No bit after the lengths makes them meet the end.
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

  /// The parts of the record that `bytes` are, its separator included, if their lengths meet its end.
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

  /// The bytes of `piece` and of the separator after it.
  private func bytes(of piece: Range<Int>) -> [UInt8] {
    reader.image.bytes(in: piece) + reader.dialect.separatorBytes
  }

  /// Whether `bytes` are one record that an app could have written, its separator included; the CRC
  /// aside.
  private func isWhole(_ bytes: [UInt8]) -> Bool {
    let image = FileImage(bytes)
    let end = bytes.count - reader.dialect.separatorBytes.count
    let own = AppleRecordReader(image, reader.dialect)
    guard let fields = own.fields(at: 0, limit: end), fields.isUsual,
      let parts = own.parts(of: fields, at: 0, limit: end), parts.value.upperBound + 2 == end,
      !image.isZero(in: 0..<end), let type = AppleType(rawValue: fields.type)
    else { return false }
    return ApplePlausibility(image).isWritten(
      type, className: parts.className, key: parts.key, value: parts.value)
  }
}
