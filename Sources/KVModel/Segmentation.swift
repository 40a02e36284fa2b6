package import KVBytes
import KVSystem

/// The constants of the minimum-cost segmentation, for all formats.
///
/// Costs are in bytes: a byte that belongs to no record costs one. The recovery figures of
/// `Docs/RECOVERY.md` were measured with these values; that page also says how other values do.
package enum SegmentationCost {
  /// The cost of losing sync.
  package static let gap: Int32 = 12
  /// The largest count with which the bytes of one record enter a cost, so that sums stay in 32
  /// bits.
  private static let longestRecord = 1 << 24
  /// The largest cost of a short key, which easily arises by accident: 2 less for each of its
  /// bytes.
  private static let shortKey: Int32 = 8

  /// The largest number of bytes before the damage that are read again; bounds memory.
  static let reach = 4 << 20
  /// The number of bytes after the damage that are read again: a few pages of the disk that are
  /// lost together.
  static let lookahead = 128 << 10
  /// The number of records before the damage that are read again: a wrong length seldom decodes for
  /// longer.
  static let lookback = 32
  /// The number of consecutive zero bytes that are a hole: no engine writes one empty key after
  /// another.
  package static let holeCount = 8

  /// More than any segmentation costs.
  fileprivate static let forbidden: Int32 = .max / 2

  /// Returns the cost of leaving out a record of `count` bytes.
  package static func bytes(_ count: Int) -> Int32 { Int32(min(count, longestRecord)) }

  /// Returns the cost of a key of `count` bytes.
  package static func key(_ count: Int) -> Int32 { max(0, shortKey - 2 * Int32(min(count, 4))) }
}

/// What begins at one offset of a window, according to the grammar of a format.
///
/// It is kept small, because there is one for each byte that is read again.
package struct RecordCandidate {
  /// Further properties of an offset.
  package struct Flags: OptionSet {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A record can be read that ends in the window, or after which the log continues.
    package static var isRecord: Flags { Flags(rawValue: 1) }
    /// Resynchronizing here is more likely to land inside a text than at a record.
    package static var isOddStart: Flags { Flags(rawValue: 2) }
    /// A record that an earlier one has swallowed can begin here.
    package static var canBeSwallowed: Flags { Flags(rawValue: 4) }
    /// In sync, reading the record has the minimum cost.
    fileprivate static var reads: Flags { Flags(rawValue: 8) }
    /// Out of sync, resynchronizing has the minimum cost.
    fileprivate static var resumes: Flags { Flags(rawValue: 16) }
  }

  /// The number of bytes of the record; 0 if none can be read.
  package var count: UInt32 = 0
  /// The cost of reading it, without anything after it.
  package var cost: Int32 = 0
  /// The number of bytes before its end in which to look for a next record that it may have
  /// swallowed.
  package var swallowedCount: UInt8 = 0
  fileprivate var flags: Flags = []

  /// No record.
  package init() {}

  // Not through the option set itself, which is unspecialized code in another module.
  /// Adds `flag` to the properties of the offset.
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
  /// Whether zero bytes between records are skipped, as empty keys; otherwise they are damage.
  var passesOverZeros: Bool { get }

  /// Returns the end of the record at `offset`, or why no plausible record can be read there.
  func reading(at offset: Int, limit: Int) -> RecordReading
  /// Returns where the first record of a log at `range` begins; `nil` if it is at the start of the
  /// log.
  func firstRecord(in range: Range<Int>) -> Int?
  /// Returns what begins at each offset of `window`, if the log ends at `limit`.
  func candidates(in window: Range<Int>, limit: Int) -> [RecordCandidate]
  /// Returns where the first record of `window` is read, and adds the bytes that this leaves out to
  /// `gaps`.
  func start(of window: SegmentationWindow, into gaps: inout GapList, _ cause: Gap.Cause) -> Int
  /// Returns the cause of a gap at `range` to which damage of another `cause` led.
  func cause(of range: Range<Int>, limit: Int, after cause: Gap.Cause) -> Gap.Cause
}

/// The result of reading at an offset, in sync.
package enum RecordReading {
  /// A plausible record, up to this offset.
  case record(end: Int)
  /// Damage.
  case damage(Gap.Cause)
}

/// Minimum-cost segmentation: finds where records continue after damage.
///
/// The log is read forward until a record does not decode, or is implausible. The damage is there
/// or a little before: a wrong length makes the parser jump, and what it lands on may decode for a
/// while. So all ways to split a window around the place are considered, and the minimum cost
/// decides; see ``SegmentationWindow``.
///
/// The assumption is that most records around the damage are whole. When it is wrong, bytes that
/// look like records by accident are taken for records, which is why anything found after a gap is
/// a guess.
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

  /// Returns the zeros at `offset`, if no record begins with them.
  private func zeros(at offset: Int, limit: Int) -> Range<Int>? {
    var cursor = ByteCursor(image.storageSpan, in: offset..<limit)
    let zeros = cursor.readZeros()
    let isHole = zeros.count >= SegmentationCost.holeCount || zeros.upperBound == limit
    return passesOverZeros || isHole ? zeros : nil
  }

  /// Returns whether the log continues at `offset`: it ends there or after a plausible record, or
  /// two such records follow.
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
/// A plausible record costs nothing, or a little; an implausible one costs about as much as it has
/// bytes; a byte that belongs to no record costs one; and losing sync costs a little more. Costs
/// are computed backward from the window's end, each from those after it.
package struct SegmentationWindow {
  /// The bytes of the window.
  package let range: Range<Int>
  /// The end of the log, in the window or after it.
  package let limit: Int
  private let candidates: [RecordCandidate]
  /// The cost of the rest from each offset if a record may begin there, indexed from the window's
  /// start.
  private let costs: [Int32]

  /// Creates the window at `range` of a log that ends at `limit`, with its costs.
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

  /// Returns the cost of the rest from `offset` if a record may begin there.
  package func costInSync(at offset: Int) -> Int32 { costs[offset - range.lowerBound] }

  /// Returns the cost of the rest from each offset of a window that begins at `start`, and sets the
  /// flags for the choice that has the minimum cost there.
  private static func costs(
    of candidates: inout [RecordCandidate], _ image: FileImage, from start: Int,
    passesOverZeros: Bool
  ) -> [Int32] {
    let bytes = image.storageSpan
    let end = start + candidates.count
    var costs = [Int32](repeating: 0, count: candidates.count + 1)
    // What the rest costs out of sync.
    var lost: Int32 = 0
    for index in candidates.indices.reversed() {
      let offset = start + index
      let isZero = bytes[offset] == 0
      let skip = (isZero && !passesOverZeros ? 0 : 1) + lost
      var best = SegmentationCost.gap + skip
      var resume = SegmentationCost.forbidden
      if isZero, passesOverZeros {
        // Zeros are what the file has where nothing was written: they speak for nothing.
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
    // One that reaches out of the window is followed by others.
    guard end < costs.count else { return candidate.cost }
    let rest = costs[end]
    let cost = rest + candidate.cost
    guard rest >= SegmentationCost.gap else { return cost }
    // Sync is lost after the record, and would not be if reading went on before its end: bytes were taken
    // out of it, and it reaches into the next one.
    for other in end - Int(candidate.swallowedCount)..<end
    where candidates[other].flags.contains(.canBeSwallowed)
      && costs[other] + SegmentationCost.gap <= rest
    {
      return cost + SegmentationCost.bytes(Int(candidate.count))
    }
    return cost
  }

  /// Reads the window at the minimum cost, adds the bytes that this leaves out to `gaps`, and
  /// returns the offset at which reading leaves the window.
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

  /// No gaps, in `file`.
  init(in file: FileRole) { self.file = file }

  /// The offset after the last gap.
  var end: Int { list.last?.extent.end ?? 0 }

  /// Adds a gap after the last one.
  package mutating func add(_ range: Range<Int>, _ cause: Gap.Cause) {
    guard let last = list.last, last.extent.end == range.lowerBound else {
      list.append(Gap(Extent(file, range), cause))
      return
    }
    // Of a hole and what it broke, the hole is the cause.
    let joined = last.cause == .zeros || cause == .zeros ? .zeros : last.cause
    list[list.count - 1] = Gap(Extent(file, last.extent.offset..<range.upperBound), joined)
  }
}
