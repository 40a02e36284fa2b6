import KVBytes
import KVModel

/// The records that stand directly after the log by its length.
struct LogTail {
  /// The size of the blocks in which what was written reaches the disk, and in which it is older where
  /// one did not.
  private static let blockCount = 512
  /// How many zeros between the log and the next block show that nothing was ever written there.
  private static let unwrittenCount = 16

  /// How many whole records there are.
  private(set) var count = 0
  /// Where the last of them ends.
  private(set) var end: Int
  /// The last of them.
  private(set) var last: AppleRecordShape?
  /// Whether there is damage before the last of them.
  private(set) var isDamaged = false
  /// Whether they are apart from the log by bytes that were never written.
  private(set) var isApart = false

  private let reader: AppleRecordReader
  private let written: Range<Int>

  /// The records from `start`, where `written` is all that was ever written.
  ///
  /// - Complexity: O(count of the records).
  init(_ reader: AppleRecordReader, from start: Int, in written: Range<Int>) {
    self.reader = reader
    self.written = written
    end = start
    walk()
  }

  private mutating func walk() {
    var hasDamage = false
    var gapEnd: Int?
    var walk = AppleWalk(reader, in: end..<written.upperBound)
    while let step = walk.next() {
      switch step {
      case .record(let shape) where shape.isWitnessed:
        count += 1
        end = shape.range.upperBound
        last = shape
        isDamaged = hasDamage
      case .record(let shape) where reader.isRestored(shape):
        // Of one that stands in a gap, that has been asked.
        let start = shape.range.lowerBound
        guard start == gapEnd || reader.isRecordStart(start, in: written) else { return }
        hasDamage = true
      case .record(let shape):
        guard shape.ending == .separator else { return }
        hasDamage = true
      case .gap(let gap):
        // Older contents begin with what is left of a record, if not with a whole one.
        if count == 0, !hasDamage, isUnwritten(at: gap.extent.offset) {
          isApart = true
        } else if !reader.isRecordStart(gap.extent.offset, in: written) {
          return
        }
        hasDamage = true
        gapEnd = gap.extent.end
      }
    }
  }

  /// Returns whether zeros begin at `offset` that end with a block, though more was written to the next
  /// one: the block with the end of the log is an older one.
  private func isUnwritten(at offset: Int) -> Bool {
    let next = (offset / Self.blockCount + 1) * Self.blockCount
    return next - offset >= Self.unwrittenCount && next < written.upperBound
      && reader.image.isZero(in: offset..<next)
  }
}
