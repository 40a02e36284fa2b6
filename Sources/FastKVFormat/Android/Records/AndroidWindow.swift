import KVBytes

/// A part of the log around damage, and the cheapest way to read it.
///
/// A plausible record costs nothing, or a little where its key is short; an implausible one about as
/// much as it has bytes; a byte that belongs to no record one, unless it is zero; and to lose the
/// thread a little on top. The costs are computed from the window's end backwards.
struct AndroidWindow {
  /// What it costs to lose sync, in bytes.
  private static let gapCost: Int32 = 12
  /// More than any way of reading costs.
  private static let forbidden: Int32 = .max / 2

  private let image: FileImage
  private let plausibility: AndroidPlausibility
  private let start: Int
  private let end: Int
  private let logEnd: Int
  /// What a record costs that begins at the offset, with all after it.
  private var record: [Int32]
  /// What the rest costs from each offset, when a record may begin there.
  private var inStep: [Int32]
  /// What the rest costs from each offset, when the thread is lost.
  private var lost: [Int32]

  /// The part of `image` from `start` to `end`, costs computed.
  ///
  /// - Complexity: O(`end - start`) in time and memory.
  init(
    _ image: FileImage, _ plausibility: AndroidPlausibility, from start: Int, until end: Int,
    logEnd: Int
  ) {
    self.image = image
    self.plausibility = plausibility
    self.start = start
    self.end = end
    self.logEnd = logEnd
    record = [Int32](repeating: Self.forbidden, count: end - start + 1)
    inStep = [Int32](repeating: 0, count: end - start + 1)
    lost = [Int32](repeating: 0, count: end - start + 1)
    for offset in stride(from: end - 1, through: start, by: -1) {
      let index = offset - start
      record[index] = recordCost(at: offset)
      let skip = (image[offset] == 0 ? 0 : 1) + lost[index + 1]
      lost[index] = min(skip, record[index])
      inStep[index] = min(Self.gapCost + skip, record[index])
    }
  }

  /// What the rest costs when a record is read at `offset`.
  private func recordCost(at offset: Int) -> Int32 {
    guard
      case .success(let shape) = AndroidRecordShape.read(
        image.storageSpan, at: offset, limit: logEnd)
    else { return Self.forbidden }
    let rest = costBehind(shape.range.upperBound)
    guard rest < Self.forbidden else { return rest }
    let count = Int32(min(shape.range.count, 1 << 24))
    guard plausibility.hasFitKey(shape) else { return rest + Self.gapCost / 2 + count }
    guard plausibility.hasFitValue(shape) else { return rest + Self.gapCost / 3 + count }
    // A short key is easily an accident.
    return rest + max(0, 8 - 2 * Int32(min(shape.key.count, 4)))
  }

  /// What is left to pay after a record that ends at `offset`.
  private func costBehind(_ offset: Int) -> Int32 {
    if offset <= end { return inStep[offset - start] }
    // The record reaches out of the window: it counts if the log goes on after it.
    var position = offset
    for _ in 0..<2 where position < logEnd {
      guard
        case .success(let shape) = AndroidRecordShape.read(
          image.storageSpan, at: position, limit: logEnd),
        plausibility.accepts(shape)
      else { return Self.forbidden }
      position = shape.range.upperBound
    }
    return 0
  }

  /// Reads the window in the cheapest way: what that leaves out, and where it leaves the window.
  func best() -> (gaps: [Range<Int>], end: Int) {
    var gaps: [Range<Int>] = []
    var offset = start
    while offset < end {
      let index = offset - start
      if record[index] < Self.forbidden, inStep[index] == record[index],
        case .success(let shape) = AndroidRecordShape.read(
          image.storageSpan, at: offset, limit: logEnd)
      {
        offset = shape.range.upperBound
        continue
      }
      let gap = offset
      repeat { offset += 1 } while offset < end && !isFound(at: offset)
      gaps.append(gap..<offset)
    }
    return (gaps, offset)
  }

  /// Whether the thread is found again at `offset`.
  private func isFound(at offset: Int) -> Bool {
    let cost = record[offset - start]
    return cost < Self.forbidden && cost == lost[offset - start]
  }
}
