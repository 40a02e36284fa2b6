import KVBytes
import KVModel

/// Finds where the log of a damaged copy ends if its header may be damaged too.
///
/// Each end of a record is a candidate explanation. They are weighed in bits; see ``AndroidPriors``
/// for the numbers:
///
/// - What each header states: this end, or one that is off by one or two bits, or by a few bytes, as
///   after an insertion or a deletion.
/// - The stored checksum, if it differs from that of the bytes up to here in a few bits. At any other
///   end, it differs in half of them.
/// - Only zeros follow. The engine clears nothing, so nothing of a longer log is there.
/// - A record follows without a gap. Most likely the log continues.
/// - A key has two different records before the end, and neither is marked as deleted. The engine
///   marks the older one, so the second one is probably left from before a compaction.
///
/// When this is wrong: after a log that was cleared and written again with other records of the same
/// size, if a length and bytes of many lanes are damaged.
struct LogEnd {
  /// The most zeros that a record is assumed to end in.
  private static let zeroTail = 16

  private let copy: AndroidCopy
  private let last: Int
  private let stated: [AndroidHeader]

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
    // A file that was cut no longer has the end that its header states, unless it is absurd.
    if let count = copy.header.count, count > copy.area.count,
      copy.area.end - last <= zeroTail,
      count / AndroidPriors.absurdFactor
        <= max(copy.area.count, AndroidPriors.leastAbsurd / AndroidPriors.absurdFactor)
    {
      return nil
    }
    let stated = [copy.header, other?.header].compactMap { $0 }
    let end = LogEnd(copy: copy, last: last, stated: stated).best
    return end == copy.log?.end ? nil : end
  }

  private var best: Int? {
    let image = copy.decoded.stored
    let tail = copy.decoded.isEncrypted ? 0 : Self.zeroTail
    let written = copy.area.offset..<min(last + 1 + tail, copy.area.end)
    let gaps = AndroidGrammar(
      image, copy.file.role, copy.decoded.test
    ).gaps(in: written)
    var walk = EndWalk(self)
    var ahead = gaps[...]
    for shape in AndroidShapes(image, in: written, around: gaps) {
      walk.pass(shape)
      let position = walk.position
      guard position <= last else { break }
      let next = AndroidRecordShape.read(image.storageSpan, at: position, limit: written.upperBound)
      ahead = ahead.drop { $0.extent.offset < position }
      let isGap = ahead.first?.extent.offset == position
      let isFollowed = if case .success = next { !isGap } else { false }
      walk.consider(position, isFollowed: isFollowed)
    }
    let end = max(walk.position, last + 1)
    walk.consider(end, isFollowed: false)
    return walk.best?.end
  }

  /// Returns the evidence in the headers for an end at `end`, up to which the lanes are `lanes`.
  private func bits(_ end: Int, _ lanes: XORLanes) -> Int {
    let counts = Set(stated.compactMap(\.count).filter { $0 > 0 })
    let lengths = counts.reduce(0) { sum, count in
      let change = (count ^ (end - copy.area.offset)).nonzeroBitCount
      let distance = abs(copy.area.offset + count - end)
      return sum
        + (change < AndroidPriors.lengthBits.count
          ? AndroidPriors.lengthBits[change]
          : distance <= AndroidPriors.displacement ? AndroidPriors.displacedBits : 0)
    }
    let sums = Set(stated.map(\.checksum)).subtracting([0])
    return lengths + (sums.map { Self.bits(of: $0 ^ lanes.value) }.max() ?? 0)
  }

  /// Returns the evidence of a checksum that differs by `change`: how unlikely it is for one of other
  /// bytes to differ in as few bits.
  private static func bits(of change: UInt64) -> Int {
    // The number of changes of as many bits, as a power of two: at most log2(64) for each.
    let found = 64 - 6 * change.nonzeroBitCount - AndroidPriors.endChoiceBits
    // Equal records cancel out, so even a match is limited.
    return min(max(0, found), AndroidPriors.mostChecksumBits)
  }

  /// The walk over the records, with the best end so far.
  private struct EndWalk {
    private let search: LogEnd
    private var lanes = XORLanes()
    private var records: [Key: Range<Int>] = [:]
    private var repeated = 0
    private(set) var position: Int
    private(set) var best: (end: Int, bits: Int)?

    init(_ search: LogEnd) {
      self.search = search
      position = search.copy.area.offset
    }

    mutating func pass(_ shape: AndroidRecordShape) {
      let image = search.copy.decoded.stored
      lanes.update(image.storageSpan, in: position..<shape.range.upperBound)
      position = shape.range.upperBound
      guard !shape.isStruck, let key = search.copy.key(of: shape) else { return }
      let known = records.updateValue(shape.range, forKey: key)
      if let known, image.bytes[known] != image.bytes[shape.range] { repeated += 1 }
    }

    mutating func consider(_ end: Int, isFollowed: Bool) {
      var sum = lanes
      sum.update(search.copy.decoded.stored.storageSpan, in: position..<end)
      var bits =
        search.bits(end, sum)
        - min(repeated, AndroidPriors.mostRepeated) * AndroidPriors.repeatedBits
      if end > search.last { bits += AndroidPriors.zeroBits }
      if isFollowed { bits -= AndroidPriors.recordBits }
      // Of two ends with the same evidence, the longer log loses nothing.
      if bits >= best?.bits ?? bits { best = (end, bits) }
    }
  }
}
