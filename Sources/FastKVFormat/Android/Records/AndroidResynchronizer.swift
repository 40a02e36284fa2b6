import KVBytes
import KVModel

/// Finds where the records go on after damage.
///
/// The log is read forwards until a record does not decode, or decodes to something that no app
/// writes. The damage is there or a little before: a wrong length makes the reading jump, and what it
/// lands on may decode for a while. So a window around the place is read again in every possible
/// way, and the cheapest way wins; see ``AndroidWindow``.
///
/// What it assumes: that most records around the damage are whole. When it is wrong: bytes that look
/// like records by accident are taken for such, which is why what is found after a gap is a guess.
///
/// Time is linear in the log, for windows overlap by less than their length.
struct AndroidResynchronizer {
  /// The most bytes that are read again at once.
  private static let windowLimit = 8 << 20
  /// How many bytes after the damage are read again.
  private static let lookahead = 128 << 10
  /// How many records before the damage are read again.
  private static let lookback = 32
  /// How many zero bytes in a row are a hole.
  private static let holeCount = 8

  private let image: FileImage
  private let role: FileRole
  private let plausibility: AndroidPlausibility

  /// A resynchronizer for the stored `image`.
  init(_ image: FileImage, _ role: FileRole, _ plausibility: AndroidPlausibility) {
    self.image = image
    self.role = role
    self.plausibility = plausibility
  }

  /// The gaps in `range`, in order; between them the lengths decode.
  func gaps(in range: Range<Int>) -> [Gap] {
    var gaps: [Gap] = []
    var boundaries: [Int] = []
    var position = range.lowerBound
    while position < range.upperBound {
      var cursor = ByteCursor(image.storageSpan, in: position..<range.upperBound)
      let zeros = cursor.readZeros()
      if zeros.count >= Self.holeCount || zeros.upperBound == range.upperBound, !zeros.isEmpty {
        add(zeros, .zeros, to: &gaps)
        position = zeros.upperBound
        boundaries.removeAll()
        continue
      }
      let cause: Gap.Cause
      switch AndroidRecordShape.read(image.storageSpan, at: position, limit: range.upperBound) {
      case .success(let shape):
        if plausibility.accepts(shape) {
          boundaries.append(position)
          if boundaries.count > 2 * Self.lookback { boundaries.removeFirst(Self.lookback) }
          position = shape.range.upperBound
          continue
        }
        cause = .implausible
      case .failure(let damage): cause = damage.cause
      }
      let limit = gaps.last?.extent.end ?? 0
      let anchor =
        boundaries.suffix(Self.lookback).first {
          $0 >= limit && position - $0 <= Self.windowLimit / 2
        } ?? position
      let window = AndroidWindow(
        image, plausibility, from: anchor, until: min(range.upperBound, position + Self.lookahead),
        logEnd: range.upperBound)
      let reading = window.best()
      for gap in reading.gaps { add(gap, cause, to: &gaps) }
      position = reading.end
      boundaries.removeAll()
    }
    return gaps
  }

  /// Adds a gap after the last one; those that touch become one.
  private func add(_ range: Range<Int>, _ cause: Gap.Cause, to gaps: inout [Gap]) {
    let cause = image.isZero(in: range) ? .zeros : cause == .zeros ? .implausible : cause
    guard let last = gaps.last, last.extent.end == range.lowerBound else {
      gaps.append(Gap(Extent(role, range), cause))
      return
    }
    let joined: Gap.Cause = last.cause == .zeros || cause == .zeros ? .zeros : last.cause
    gaps[gaps.count - 1] = Gap(Extent(role, last.extent.offset..<range.upperBound), joined)
  }
}
