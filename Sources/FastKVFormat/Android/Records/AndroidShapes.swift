import KVBytes
import KVModel

/// The records of a range by their lengths alone, up to the first damage or around known gaps.
struct AndroidShapes: Sequence, IteratorProtocol {
  private let image: FileImage
  private let gaps: [Gap]
  private let end: Int
  private var passed = 0
  private var position: Int

  init(_ image: FileImage, in range: Range<Int>, around gaps: [Gap] = []) {
    self.image = image
    self.gaps = gaps
    position = range.lowerBound
    end = range.upperBound
  }

  mutating func next() -> AndroidRecordShape? {
    while passed < gaps.count, gaps[passed].extent.offset == position {
      position = gaps[passed].extent.end
      passed += 1
    }
    let limit = passed < gaps.count ? gaps[passed].extent.offset : end
    guard position < limit else { return nil }
    guard
      case .success(let shape) = AndroidRecordShape.read(
        image.storageSpan, at: position, limit: limit)
    else {
      // The bytes before the next gap do not decode; continue after it.
      guard passed < gaps.count else {
        position = end
        return nil
      }
      position = limit
      return next()
    }
    position = shape.range.upperBound
    return shape
  }
}
