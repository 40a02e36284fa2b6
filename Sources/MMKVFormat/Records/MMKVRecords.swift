import KVBytes
package import KVModel

/// The records of a part of a store's log, read one after another.
///
/// Damage ends the scan: the rest is one gap. If gaps were found beforehand, by ``Resynchronizer``,
/// the scan skips them and continues.
package struct MMKVRecords: Sequence, IteratorProtocol, Sendable {
  private let image: FileImage
  private let end: Int
  private let mode: ScanMode
  private let isEncrypted: Bool
  private var gaps: KnownGaps
  private var position: Int

  /// Creates the sequence of records in `range` of the decrypted `image`.
  init(
    _ image: FileImage, in range: Range<Int>, mode: ScanMode, isEncrypted: Bool, gaps: [Gap] = []
  ) {
    self.image = image
    self.mode = mode
    self.isEncrypted = isEncrypted
    self.gaps = KnownGaps(gaps)
    position = range.lowerBound
    end = range.upperBound
  }

  /// Returns the next event; `nil` at the end of the range.
  @inline(__always)
  package mutating func next() -> RecordEvent? {
    guard position < end else { return nil }
    let limit: Int
    switch gaps.step(at: position, before: end) {
    case .pass(let gap):
      position = gap.extent.end
      return .gap(gap)
    case .read(let end): limit = end
    }
    if let record = shortRecord(before: limit) { return .record(record) }
    var cursor = ByteCursor(image.storageSpan, in: position..<limit)
    let start = position
    if start == DataHeader.byteCount {
      // The value of the prefix means nothing; its length matters.
      guard (try? cursor.readVarint()) != nil else { return rest(.malformedLength, limit) }
      position = cursor.offset
      return .filler(Extent(.data, start..<position))
    }
    if image[start] == 0 {
      // A key length of zero has no value after it, so a run of zeros is that many empty records.
      position = cursor.readZeros().upperBound
      return .filler(Extent(.data, start..<position))
    }
    switch RecordShape.read(&cursor) {
    case .success(let shape):
      if shape.key.isEmpty {
        // As MiniPBCoder::decodeOneMap: no value follows a key length of zero, however it is
        // encoded.
        position = cursor.offset
        return .filler(Extent(.data, start..<position))
      }
      if mode.appliesEngineLimits, !shape.isReadByEngine(isEncrypted: isEncrypted) {
        return rest(.refusedByEngine, limit)
      }
      position = cursor.offset
      return .record(shape.record)
    case .failure(let damage):
      return rest(damage.cause, limit)
    }
  }

  /// Returns the next record if its lengths have one byte each, as nearly all have; every engine
  /// reads it.
  ///
  /// Where the next record begins depends on these two bytes, so nothing else should delay them.
  @inline(__always)
  private mutating func shortRecord(before limit: Int) -> Record? {
    let start = position
    guard start != DataHeader.byteCount, start + 1 < limit else { return nil }
    let keyCount = image[start]
    let key = start + 1..<start + 1 + Int(keyCount)
    guard keyCount > 0, keyCount < 0x80, key.upperBound < limit else { return nil }
    let valueCount = image[key.upperBound]
    let value = key.upperBound + 1..<key.upperBound + 1 + Int(valueCount)
    guard valueCount < 0x80, value.upperBound <= limit else { return nil }
    position = value.upperBound
    return Record(
      valueCount == 0 ? .remove : .put, in: .data, at: start..<position, key: key, value: value)
  }

  private mutating func rest(_ cause: Gap.Cause, _ limit: Int) -> RecordEvent {
    let extent = Extent(.data, position..<limit)
    position = limit
    return .gap(Gap(extent, cause))
  }
}
