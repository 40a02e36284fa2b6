package import KVBytes
import KVSystem

/// The constants of the minimum-cost segmentation, for all formats.
///
/// Costs are in bytes: a byte that belongs to no record costs one. The recovery figures in
/// `Docs/MEASUREMENTS.md` were measured with these values. That page also compares other values.
package enum SegmentationCost {
  /// The cost of losing sync.
  package static let gap: Int32 = 12
  /// The largest cost of the bytes of one record, so that sums of costs fit in 32 bits.
  private static let longestRecord = 1 << 24
  /// The cost of an empty key, which decreases by 2 with each byte of a key.
  ///
  /// Short keys easily arise by accident.
  private static let shortKey: Int32 = 8

  /// The largest number of bytes before the damage that are read again, which limits memory.
  static let reach = 4 << 20
  /// The number of bytes after the damage that are read again: a few pages of the disk, which can
  /// be lost together.
  static let lookahead = 128 << 10
  /// The number of records before the damage that are read again.
  ///
  /// After a wrong length, reading seldom decodes more records than that.
  static let lookback = 32
  /// The number of consecutive zero bytes that count as a hole, because no engine writes several
  /// empty keys in a row.
  package static let holeCount = 8

  /// A cost that is higher than that of any segmentation.
  fileprivate static let forbidden: Int32 = .max / 2

  /// Returns the cost of `count` bytes of a record that is left out.
  package static func bytes(_ count: Int) -> Int32 { Int32(min(count, longestRecord)) }

  /// Returns the cost of a key of `count` bytes.
  package static func key(_ count: Int) -> Int32 { max(0, shortKey - 2 * Int32(min(count, 4))) }
}

/// The record that can begin at one offset of a window, according to the grammar of a format.
///
/// The type is small, because there is one candidate for each byte that is read again.
package struct RecordCandidate {
  /// Further properties of an offset.
  package struct Flags: OptionSet {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A record can be read here that ends in the window, or after which the log continues.
    package static var isRecord: Flags { Flags(rawValue: 1) }
    /// Resynchronizing here is more likely to land inside a text than at a record.
    package static var isOddStart: Flags { Flags(rawValue: 2) }
    /// A record can begin here whose first bytes an earlier record, which has lost bytes, seems to
    /// contain.
    package static var canBeSwallowed: Flags { Flags(rawValue: 4) }
    /// Reading the record has the minimum cost, if reading is in sync.
    fileprivate static var reads: Flags { Flags(rawValue: 8) }
    /// Resynchronizing here has the minimum cost, if reading is out of sync.
    fileprivate static var resumes: Flags { Flags(rawValue: 16) }
  }

  /// The number of bytes of the record; 0 if none can be read.
  package var count: UInt32 = 0
  /// The cost of reading the record, without the cost of anything after it.
  package var cost: Int32 = 0
  /// The number of bytes before the record's end in which the next record may begin, if this record
  /// has lost bytes.
  package var swallowedCount: UInt8 = 0
  fileprivate var flags: Flags = []

  /// Creates a candidate without a record.
  package init() {}

  /// Adds `flag` to the properties of the offset.
  ///
  /// The grammars use this because an option set of another module is unspecialized code, which is
  /// slow.
  package mutating func mark(_ flag: Flags) { flags.insert(flag) }

  /// The additional cost of resynchronizing here instead of reading in sync.
  package var resumption: Int32 {
    flags.contains(.isOddStart) ? SegmentationCost.gap + SegmentationCost.bytes(Int(count)) : 0
  }
}

/// What segmentation needs to know about a format's records.
package protocol SegmentationGrammar {
  /// The bytes of the log's file.
  var image: FileImage { get }
  /// The file.
  var file: FileRole { get }
  /// Whether zero bytes between records are skipped, as empty keys, and are not damage.
  var passesOverZeros: Bool { get }

  /// Returns the end of the record at `offset`, or why no plausible record can be read there.
  func reading(at offset: Int, limit: Int) -> RecordReading
  /// Returns the offset of the first record of a log at `range`; `nil` if it is at the start of the
  /// log.
  func firstRecord(in range: Range<Int>) -> Int?
  /// Returns the candidate at each offset of `window`, for a log that ends at `limit`.
  func candidates(in window: Range<Int>, limit: Int) -> [RecordCandidate]
  /// Returns the offset at which the first record of `window` is read, and adds the bytes before it
  /// that are left out to `gaps`.
  func start(of window: SegmentationWindow, into gaps: inout GapList, _ cause: Gap.Cause) -> Int
  /// Returns the cause of the gap at `range`, which resulted from damage with the given cause.
  func cause(of range: Range<Int>, limit: Int, after cause: Gap.Cause) -> Gap.Cause
}

/// The result of reading a record at an offset, in sync.
package enum RecordReading {
  /// A plausible record, up to this offset.
  case record(end: Int)
  /// Damage.
  case damage(Gap.Cause)
}

/// Minimum-cost segmentation: finds where records continue after damage.
///
/// The log is read forward until a record does not decode or is implausible. The damage is there or
/// a little before, because after a wrong length the parser may decode a few records by accident.
/// So all ways to split a window around that place are considered, and the one with the minimum
/// cost is chosen; see ``SegmentationWindow``.
///
/// The method assumes that most records around the damage are whole. If that is wrong, bytes that
/// look like records by accident are taken for records. This is why everything that is found after
/// a gap is a guess.
extension SegmentationGrammar {
  /// Returns the gaps in `range`, in order; between them the log decodes.
  ///
  /// - Complexity: O(`range.count`), because windows overlap by less than their length.
  package func gaps(in range: Range<Int>) -> [Gap] {
    let image = self.image
    let passesOverZeros = self.passesOverZeros
    var gaps = GapList(in: file)
    var boundaries: [Int] = []
    var position = range.lowerBound
    if let first = firstRecord(in: range) {
      position = first
      boundaries.append(range.lowerBound)
    }
    while position < range.upperBound {
      if image[position] == 0, let zeros = zeros(at: position, limit: range.upperBound) {
        if !passesOverZeros || zeros.count >= SegmentationCost.holeCount { gaps.add(zeros, .zeros) }
        if !passesOverZeros { boundaries.removeAll() }
        position = zeros.upperBound
        continue
      }
      switch reading(at: position, limit: range.upperBound) {
      case .record(let end):
        boundaries.append(position)
        if boundaries.count > 2 * SegmentationCost.lookback {
          boundaries.removeFirst(SegmentationCost.lookback)
        }
        position = end
      case .damage(let cause):
        if WorkProgress.isOver(.damage, position - range.lowerBound, of: range.count) {
          gaps.add(position..<range.upperBound, cause)
          return gaps.list
        }
        let anchor = boundaries.suffix(SegmentationCost.lookback).first {
          $0 >= gaps.end && position - $0 <= SegmentationCost.reach
        }
        let end = min(range.upperBound, position + SegmentationCost.lookahead)
        let window = SegmentationWindow(self, (anchor ?? position)..<end, limit: range.upperBound)
        position = window.read(by: self, into: &gaps, cause)
        boundaries.removeAll()
      }
    }
    return gaps.list
  }

  /// Returns the zeros at `offset`, or `nil` if a record can begin with them.
  private func zeros(at offset: Int, limit: Int) -> Range<Int>? {
    var cursor = ByteCursor(image.storageSpan, in: offset..<limit)
    let zeros = cursor.readZeros()
    let isHole = zeros.count >= SegmentationCost.holeCount || zeros.upperBound == limit
    return passesOverZeros || isHole ? zeros : nil
  }

  /// Returns whether the log continues at `offset`: it ends there or after one plausible record, or
  /// two plausible records follow.
  package func goesOn(at offset: Int, limit: Int) -> Bool {
    var position = offset
    for _ in 0..<2 {
      if passesOverZeros {
        var cursor = ByteCursor(image.storageSpan, in: position..<limit)
        position = cursor.readZeros().upperBound
      }
      if position == limit { return true }
      guard case .record(let end) = reading(at: position, limit: limit) else { return false }
      position = end
    }
    return true
  }
}

/// A part of the log around damage, and its minimum-cost segmentation.
///
/// A plausible record costs nothing, or a little. An implausible one costs about as much as it has
/// bytes. A byte that belongs to no record costs one, and losing sync costs a little more. Costs
/// are computed backward from the window's end, each from those after it.
package struct SegmentationWindow {
  /// The bytes of the window.
  package let range: Range<Int>
  /// The end of the log, in the window or after it.
  package let limit: Int
  private let candidates: [RecordCandidate]
  /// The cost of the rest of the window from each offset, if reading is in sync there; indexed from
  /// the window's start.
  private let costs: [Int32]

  /// Creates the window at `range` of a log that ends at `limit`, and computes its costs.
  ///
  /// - Complexity: O(`range.count`) in time and memory.
  init(_ grammar: some SegmentationGrammar, _ range: Range<Int>, limit: Int) {
    self.range = range
    self.limit = limit
    var candidates = grammar.candidates(in: range, limit: limit)
    costs = SegmentationWindow.costs(
      of: &candidates, grammar.image, from: range.lowerBound,
      passesOverZeros: grammar.passesOverZeros)
    self.candidates = candidates
  }

  /// Returns the cost of the rest of the window from `offset`, if reading is in sync there.
  package func costInSync(at offset: Int) -> Int32 { costs[offset - range.lowerBound] }

  /// Returns the cost of the rest of the window from each offset at which reading is in sync, and
  /// sets the flags for the choices that have the minimum cost.
  private static func costs(
    of candidates: inout [RecordCandidate], _ image: FileImage, from start: Int,
    passesOverZeros: Bool
  ) -> [Int32] {
    let bytes = image.storageSpan
    let end = start + candidates.count
    var costs = [Int32](repeating: 0, count: candidates.count + 1)
    // The cost of the rest if reading is out of sync.
    var lost: Int32 = 0
    for index in candidates.indices.reversed() {
      let offset = start + index
      let isZero = bytes[offset] == 0
      let skip = (isZero && !passesOverZeros ? 0 : 1) + lost
      var best = SegmentationCost.gap + skip
      var resume = SegmentationCost.forbidden
      if isZero, passesOverZeros {
        // Unwritten parts of a file are zeros too, so zeros are no sign of a record.
        best = min(best, costs[index + 1])
        let hole = offset..<min(offset + SegmentationCost.holeCount, end)
        if image.isZero(in: hole) { resume = costs[index + 1] }
      } else if candidates[index].flags.contains(.isRecord) {
        let cost = cost(ofRecordAt: index, of: candidates, costs)
        if cost <= best { candidates[index].flags.insert(.reads) }
        best = min(best, cost)
        resume = cost + candidates[index].resumption
      }
      if resume <= skip { candidates[index].flags.insert(.resumes) }
      costs[index] = best
      lost = min(skip, resume)
    }
    return costs
  }

  /// Returns the cost of the rest if the record at `index` is read.
  private static func cost(
    ofRecordAt index: Int, of candidates: [RecordCandidate], _ costs: [Int32]
  ) -> Int32 {
    let candidate = candidates[index]
    let end = index + Int(candidate.count)
    // The log continues after a record that ends beyond the window.
    guard end < costs.count else { return candidate.cost }
    let rest = costs[end]
    let cost = rest + candidate.cost
    guard rest >= SegmentationCost.gap else { return cost }
    // Sync is lost after the record, but would not be if the next record began before its end.
    // Bytes were deleted from the record, so its length reaches into the next one.
    for other in end - Int(candidate.swallowedCount)..<end
    where candidates[other].flags.contains(.canBeSwallowed)
      && costs[other] + SegmentationCost.gap <= rest
    {
      return cost + SegmentationCost.bytes(Int(candidate.count))
    }
    return cost
  }

  /// Reads the window at the minimum cost, adds the bytes that are left out to `gaps`, and returns
  /// the offset at which reading leaves the window.
  func read(
    by grammar: some SegmentationGrammar, into gaps: inout GapList, _ cause: Gap.Cause
  ) -> Int {
    let image = grammar.image
    let passesOverZeros = grammar.passesOverZeros
    var offset = grammar.start(of: self, into: &gaps, cause)
    while offset < range.upperBound {
      let index = offset - range.lowerBound
      if passesOverZeros, image[offset] == 0, costs[index] == costs[index + 1] {
        var cursor = ByteCursor(image.storageSpan, in: offset..<range.upperBound)
        let zeros = cursor.readZeros()
        if zeros.count >= SegmentationCost.holeCount { gaps.add(zeros, .zeros) }
        offset = zeros.upperBound
      } else if candidates[index].flags.contains(.reads) {
        offset += Int(candidates[index].count)
      } else {
        let rest = candidates[(index + 1)...].firstIndex { $0.flags.contains(.resumes) }
        let end = range.lowerBound + (rest ?? candidates.count)
        gaps.add(offset..<end, grammar.cause(of: offset..<end, limit: limit, after: cause))
        offset = end
      }
    }
    return offset
  }
}

/// Gaps in file order, in which adjacent gaps are merged.
package struct GapList {
  /// The gaps.
  private(set) var list: [Gap] = []
  private let file: FileRole

  /// Creates an empty list of gaps in `file`.
  init(in file: FileRole) { self.file = file }

  /// The offset after the last gap.
  var end: Int { list.last?.extent.end ?? 0 }

  /// Adds a gap after the last one; merges the two if they are adjacent.
  package mutating func add(_ range: Range<Int>, _ cause: Gap.Cause) {
    guard let last = list.last, last.extent.end == range.lowerBound else {
      list.append(Gap(Extent(file, range), cause))
      return
    }
    // If one of the gaps is a hole, the hole caused the other one.
    let joined = last.cause == .zeros || cause == .zeros ? .zeros : last.cause
    list[list.count - 1] = Gap(Extent(file, last.extent.offset..<range.upperBound), joined)
  }
}
