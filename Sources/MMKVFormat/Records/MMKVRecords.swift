import KVBytes
package import KVModel

/// The records of a part of a store's log, read one after the other.
///
/// Damage ends the scan: the rest is one gap. Where gaps were found beforehand (by
/// ``Resynchronizer``), the scan passes over them and goes on after.
package struct MMKVRecords: Sequence, IteratorProtocol, Sendable {
  private let image: FileImage
  private let end: Int
  private let mode: ScanMode
  private let isEncrypted: Bool
  private var gaps: KnownGaps
  private var position: Int

  /// The records of `range` of the decrypted `image`.
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

  /// The next event; `nil` at the end of the range.
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
    var cursor = ByteCursor(image.storageSpan, in: position..<limit)
    let start = position
    if start == DataHeader.byteCount {
      // The prefix: its value means nothing, its length does.
      guard (try? cursor.readVarint()) != nil else { return rest(.malformedLength, limit) }
      position = cursor.offset
      return .filler(Extent(.data, start..<position))
    }
    if image[start] == 0 {
      // A key count of zero stands alone, so a run of zeros is that many empty records.
      position = cursor.readZeros().upperBound
      return .filler(Extent(.data, start..<position))
    }
    switch RecordShape.read(&cursor) {
    case .success(let shape):
      if shape.key.isEmpty {
        // As MiniPBCoder::decodeOneMap: however a key count of zero is spelled, no value follows.
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

  private mutating func rest(_ cause: Gap.Cause, _ limit: Int) -> RecordEvent {
    let extent = Extent(.data, position..<limit)
    position = limit
    return .gap(Gap(extent, cause))
  }
}
