import KVBytes
import KVModel

/// The segmentation grammar for the records of FastKV for Android.
struct AndroidGrammar: SegmentationGrammar {
  let image: FileImage
  let file: FileRole
  private let plausibility: AndroidPlausibility
  /// No record begins with a zero.
  var passesOverZeros: Bool { false }

  /// Creates the grammar for the stored bytes in `image`.
  init(_ image: FileImage, _ file: FileRole, _ plausibility: AndroidPlausibility) {
    self.image = image
    self.file = file
    self.plausibility = plausibility
  }

  func reading(at offset: Int, limit: Int) -> RecordReading {
    switch AndroidRecordShape.read(image.storageSpan, at: offset, limit: limit) {
    case .success(let shape):
      plausibility.accepts(shape, image.storageSpan)
        ? .record(end: shape.range.upperBound) : .damage(.implausible)
    case .failure(let damage): .damage(damage.cause)
    }
  }

  func firstRecord(in range: Range<Int>) -> Int? { nil }

  func candidates(in window: Range<Int>, limit: Int) -> [RecordCandidate] {
    var candidates = [RecordCandidate](repeating: RecordCandidate(), count: window.count)
    for index in candidates.indices {
      guard
        case .success(let shape) = AndroidRecordShape.read(
          image.storageSpan, at: window.lowerBound + index, limit: limit)
      else { continue }
      let end = shape.range.upperBound
      guard end <= window.upperBound || goesOn(at: end, limit: limit) else { continue }
      candidates[index].count = UInt32(clamping: shape.range.count)
      candidates[index].cost = cost(of: shape)
      candidates[index].mark(.isRecord)
    }
    return candidates
  }

  private func cost(of shape: AndroidRecordShape) -> Int32 {
    let count = SegmentationCost.bytes(shape.range.count)
    let bytes = image.storageSpan
    guard plausibility.hasFitKey(shape, bytes) else { return SegmentationCost.gap / 2 + count }
    guard plausibility.hasFitValue(shape, bytes) else { return SegmentationCost.gap / 3 + count }
    // Even a record with a key of one byte is less likely in random bytes than half of its bytes say.
    return min(SegmentationCost.key(shape.key.count), count / 2)
  }

  func start(
    of window: SegmentationWindow, into gaps: inout GapList, _ cause: Gap.Cause
  ) -> Int { window.range.lowerBound }

  /// Returns ``Gap/Cause/zeros`` for a gap of zeros, whatever led to it, and never for any other
  /// gap.
  func cause(of range: Range<Int>, limit: Int, after cause: Gap.Cause) -> Gap.Cause {
    image.isZero(in: range) ? .zeros : cause == .zeros ? .implausible : cause
  }
}
