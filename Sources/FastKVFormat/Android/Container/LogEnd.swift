import KVBytes
import KVModel

/// Finds where the log of a damaged copy ends if its header may be damaged too.
///
/// Each end of a record is a candidate explanation, and so is an end that a header states, unless
/// it lies inside a record. They are weighed in bits:
///
/// - A header states it. Lengths are damaged less often than other bytes, of which there are more.
///   A length that is off by a few bytes, as after an insertion or a deletion, comes next, and then
///   one that is off by one bit. If the headers of the pair contradict each other, at least one is
///   damaged, so each counts for less.
/// - Only zeros follow. The engine clears nothing, so nothing of a longer log is there.
/// - A record follows without a gap. Most likely the log continues.
///
/// When this is wrong: after a log that was cleared and written again with records of the same
/// size.
struct LogEnd {
  private static let statedBits = 10
  private static let nearbyBits = 5
  private static let displacedBits = 7
  /// The evidence of a stated end, or one near it, if the other header contradicts it.
  private static let contradictedBits = 4
  /// The most bytes that an insertion or a deletion is assumed to have.
  private static let displacement = 64
  private static let zeroBits = 6
  private static let recordBits = 6
  /// The most zeros that a record is assumed to end in.
  private static let zeroTail = 16

  private let copy: AndroidCopy
  private let last: Int
  private let stated: [Int]

  /// Returns the best-supported end of the log of `copy`, where `other` is the other copy of the
  /// pair.
  ///
  /// `nil` if that is the end that the header states, if nothing was written, if the records cannot
  /// be decrypted, or if the end was cut off.
  ///
  /// - Complexity: O(size of the file).
  static func end(of copy: AndroidCopy, beside other: AndroidCopy?) -> Int? {
    guard copy.decoded.isReadable,
      let last = copy.decoded.stored.lastNonzero(in: copy.area.range)
    else { return nil }
    // A file that was cut no longer has the end that its header states.
    if copy.header.count ?? 0 > copy.area.count, copy.area.end - last <= zeroTail { return nil }
    let stated = [copy.header.count, other?.header.count].compactMap { $0 }
      .filter { $0 > 0 }.map { copy.area.offset + $0 }
    let end = LogEnd(copy: copy, last: last, stated: stated).best
    return end == copy.log?.end ? nil : end
  }

  private var best: Int? {
    var best: (end: Int, bits: Int)?
    func consider(_ end: Int, isFollowed: Bool) {
      let bits = bits(end, isFollowed: isFollowed)
      // Of two ends with the same evidence, the longer log loses nothing.
      if bits >= best?.bits ?? bits { best = (end, bits) }
    }
    let image = copy.decoded.stored
    let tail = copy.decoded.isEncrypted ? 0 : Self.zeroTail
    let written = copy.area.offset..<min(last + 1 + tail, copy.area.end)
    let gaps = AndroidGrammar(
      image, copy.file.role, AndroidPlausibility(copy.decoded)
    ).gaps(in: written)
    var position = written.lowerBound
    var ahead = gaps[...]
    for shape in AndroidShapes(image, in: written, around: gaps) {
      // A stated end inside a gap, or at the record after it.
      if position < shape.range.lowerBound {
        for end in stated where end > position && end <= shape.range.lowerBound {
          consider(end, isFollowed: end == shape.range.lowerBound)
        }
      }
      position = shape.range.upperBound
      guard position <= last else { break }
      let next = AndroidRecordShape.read(image.storageSpan, at: position, limit: written.upperBound)
      ahead = ahead.drop { $0.extent.offset < position }
      let isGap = ahead.first?.extent.offset == position
      if case .success = next, !isGap {
        consider(position, isFollowed: true)
      } else {
        consider(position, isFollowed: false)
      }
    }
    consider(max(position, last + 1), isFollowed: false)
    for end in stated where end > max(position, last + 1) && end <= copy.area.end {
      consider(end, isFollowed: false)
    }
    return best?.end
  }

  private func bits(_ end: Int, isFollowed: Bool) -> Int {
    var bits = 0
    let isContradicted = Set(stated).count > 1
    let count = end - copy.area.offset
    for other in isContradicted ? stated : Array(stated.prefix(1)) {
      let otherCount = other - copy.area.offset
      if other == end {
        bits += isContradicted ? Self.contradictedBits : Self.statedBits
      } else if (otherCount ^ count).nonzeroBitCount == 1 {
        bits += isContradicted ? Self.contradictedBits : Self.nearbyBits
      } else if abs(other - end) <= Self.displacement, !isContradicted {
        bits += Self.displacedBits
      }
    }
    if end > last { bits += Self.zeroBits }
    if isFollowed { bits -= Self.recordBits }
    return bits
  }
}
