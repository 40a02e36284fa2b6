import KVBytes
import KVModel

/// A byte that is read with another value than the stored one.
struct CorrectedByte: Sendable {
  let offset: Int
  /// Whether the correction is proven.
  let isProven: Bool
}

/// Reads the record at an offset by its lengths, and checks its CRC and separator.
struct AppleRecordReader: Sendable {
  /// The fixed part of a record.
  struct Fields: Hashable, Sendable {
    let type: UInt64
    let version: UInt32
    let classCount: UInt64
    let keyCount: UInt64
    let valueCount: UInt64

    /// Whether the type, the version and the class name's length are in the range that engines
    /// write.
    var isUsual: Bool {
      type <= AppleType.data.rawValue && version == 1 && classCount <= 1024
    }
  }

  let image: FileImage
  let dialect: AppleDialect
  /// The bytes of the image that differ from the file, in order.
  let corrected: [CorrectedByte]
  /// The names and keys in the file's records; `nil` if records with damaged lengths are not to be
  /// read.
  let vocabulary: AppleVocabulary?

  init(
    _ image: FileImage, _ dialect: AppleDialect, corrected: [CorrectedByte] = [],
    _ vocabulary: AppleVocabulary? = nil
  ) {
    self.image = image
    self.dialect = dialect
    self.corrected = corrected
    self.vocabulary = vocabulary
  }

  /// Returns what a matching CRC shows about a record at `range`.
  ///
  /// If it matches only with a correction that is not proven, it shows nothing in the record's
  /// favor.
  func integrity(of range: Range<Int>) -> Record.Integrity {
    if range.count - 2 > 0xffff { return .unchecked }
    if corrected.isEmpty { return .verified }
    let first = corrected[corrected.partitioningIndex { $0.offset >= range.lowerBound }...].first
    guard let first, first.offset < range.upperBound else { return .verified }
    return first.isProven ? .corrected : .contradicted
  }

  /// Returns the fixed part of the record at `offset`; `nil` if it is cut off.
  func fields(at offset: Int, limit: Int) -> Fields? {
    guard limit - offset >= dialect.fixedCount else { return nil }
    let width = dialect.width
    let lengths = offset + width + 4
    return Fields(
      type: image.littleEndian(in: offset..<offset + width),
      version: UInt32(truncatingIfNeeded: image.littleEndian(in: offset + width..<lengths)),
      classCount: image.littleEndian(in: lengths..<lengths + width),
      keyCount: image.littleEndian(in: lengths + width..<lengths + 2 * width),
      valueCount: image.littleEndian(in: lengths + 2 * width..<lengths + 3 * width))
  }

  /// Returns the record at `offset`, which must end no later than `limit`; `nil` if there is too
  /// little evidence for one, or no required separator.
  ///
  /// - Complexity: O(1), with at most 192 KiB to read, as a CRC covers no more than 64 KiB.
  func shape(
    at offset: Int, limit: Int, needsSeparator: Bool = false
  ) -> AppleRecordShape? {
    guard let fields = fields(at: offset, limit: limit),
      let parts = parts(of: fields, at: offset, limit: limit)
    else { return nil }
    let end = parts.value.upperBound + 2
    let separator = dialect.separatorBytes
    let matching = matchingCount(at: end, limit: limit)
    let isSeparated = matching == separator.count
    // Make cheap tests first, as most offsets hold no record.
    guard isSeparated || !needsSeparator && fields.type <= AppleType.data.rawValue,
      !isBlank(offset..<end)
    else { return nil }
    let holds = checksumHolds(offset..<end)
    guard
      holds
        || isSeparated && (fields.version == 1 || fields.isUsual)
          && !endsWithAnother(offset..<end)
    else { return nil }
    let integrity = holds ? integrity(of: offset..<end) : .contradicted
    let (ending, tail) = ending(at: end, limit)
    // A CRC that covers nothing proves nothing.
    if AppleRecordShape.coveredCount(end - 2 - offset) == 0, ending == .missingSeparator {
      return nil
    }
    return AppleRecordShape(
      type: fields.type, version: fields.version, className: parts.className, key: parts.key,
      value: parts.value, range: offset..<tail, integrity: integrity, lengths: .fitting,
      ending: ending)
  }

  /// Returns the record that fills `piece`, the bytes between two separators, although its lengths
  /// do not.
  ///
  /// Its CRC matches, so the lengths were already wrong when it was written.
  func misstated(_ piece: Range<Int>) -> AppleRecordShape? {
    guard piece.count >= dialect.fixedCount + 2,
      let fields = fields(at: piece.lowerBound, limit: piece.upperBound), fields.isUsual,
      fields.type > AppleType.null.rawValue, !isBlank(piece), checksumHolds(piece)
    else { return nil }
    let room = UInt64(piece.count - dialect.fixedCount - 2)
    guard fields.classCount <= room, fields.keyCount <= room - fields.classCount else { return nil }
    let classStart = piece.lowerBound + dialect.fixedCount
    let keyStart = classStart + Int(fields.classCount)
    let valueStart = keyStart + Int(fields.keyCount)
    return AppleRecordShape(
      type: fields.type, version: fields.version, className: classStart..<keyStart,
      key: keyStart..<valueStart, value: valueStart..<piece.upperBound - 2,
      range: piece.lowerBound..<piece.upperBound + dialect.separatorBytes.count,
      integrity: .contradicted, lengths: .misstated, ending: .separator)
  }

  /// Returns the parts of a record with these lengths; `nil` if it does not end, CRC included,
  /// before `limit`.
  func parts(
    of fields: Fields, at offset: Int, limit: Int
  ) -> (className: Range<Int>, key: Range<Int>, value: Range<Int>)? {
    let available = limit - offset - dialect.fixedCount - 2
    guard available >= 0 else { return nil }
    let room = UInt64(available)
    guard fields.classCount <= room, fields.keyCount <= room - fields.classCount,
      fields.valueCount <= room - fields.classCount - fields.keyCount
    else { return nil }
    let classStart = offset + dialect.fixedCount
    let keyStart = classStart + Int(fields.classCount)
    let valueStart = keyStart + Int(fields.keyCount)
    return (
      classStart..<keyStart, keyStart..<valueStart,
      valueStart..<valueStart + Int(fields.valueCount)
    )
  }

  /// Returns whether the last two bytes of `range` are the CRC of those before them, as the engine
  /// computes it.
  func checksumHolds(_ range: Range<Int>) -> Bool {
    guard range.count >= 2 else { return false }
    let end = range.upperBound - 2
    let covered = AppleRecordShape.coveredCount(end - range.lowerBound)
    let digest = CRC16.digest(of: image, in: range.lowerBound..<range.lowerBound + covered)
    return UInt64(digest) == image.littleEndian(in: end..<end + 2)
  }

  /// Returns whether a record with fitting lengths and a matching CRC is at `offset`.
  private func isVerified(at offset: Int, limit: Int) -> Bool {
    guard let fields = fields(at: offset, limit: limit), fields.isUsual,
      let parts = parts(of: fields, at: offset, limit: limit)
    else { return false }
    let range = offset..<parts.value.upperBound + 2
    return range.count - 2 <= 0xffff && !isBlank(range) && checksumHolds(range)
  }

  /// Returns whether `range` ends with a verified record that follows a separator.
  ///
  /// Then the lengths that give `range` are damaged, and cover the records that follow. A value that
  /// contains records does not end with its record, because the CRC is between the two ends.
  private func endsWithAnother(_ range: Range<Int>) -> Bool {
    let separator = dialect.separatorBytes
    var start = max(range.lowerBound, range.upperBound - 2 - 0xffff - separator.count)
    var last: Int?
    while let found = image.firstOccurrence(of: separator, in: start..<range.upperBound) {
      start = found + separator.count
      last = start
    }
    guard let last, let fields = fields(at: last, limit: range.upperBound),
      let parts = parts(of: fields, at: last, limit: range.upperBound)
    else { return false }
    return parts.value.upperBound + 2 == range.upperBound
      && isVerified(at: last, limit: range.upperBound)
  }

  /// Returns what is at `offset`, where a separator belongs, and where it ends.
  func ending(at offset: Int, _ limit: Int) -> (AppleRecordShape.Ending, Int) {
    let separator = dialect.separatorBytes
    let matching = matchingCount(at: offset, limit: limit)
    if matching == separator.count { return (.separator, offset + matching) }
    let full = offset + separator.count
    if full <= limit {
      let alike = separator.indices.count { image[offset + $0] == separator[$0] }
      if alike * 2 >= separator.count { return (.damagedSeparator, full) }
      if isVerified(at: full, limit: limit), !isVerified(at: offset, limit: limit) {
        return (.damagedSeparator, full)
      }
    }
    return (.missingSeparator, offset + matching)
  }

  /// Returns how many bytes at `offset` match the start of the separator.
  func matchingCount(at offset: Int, limit: Int) -> Int {
    let separator = dialect.separatorBytes
    var count = 0
    while count < separator.count, offset + count < limit, image[offset + count] == separator[count]
    {
      count += 1
    }
    return count
  }

  /// Returns whether a whole separator that begins at `start` or later ends at `offset`.
  func isAfterSeparator(_ offset: Int, from start: Int) -> Bool {
    let separator = dialect.separatorBytes
    let before = offset - separator.count
    return before >= start && separator.indices.allSatisfy { image[before + $0] == separator[$0] }
  }

  /// Returns whether every byte is zero.
  ///
  /// The CRC of zeros is zero, so it matches where nothing was written.
  func isBlank(_ range: Range<Int>) -> Bool {
    image[range.lowerBound] == 0 && image.isZero(in: range)
  }
}
