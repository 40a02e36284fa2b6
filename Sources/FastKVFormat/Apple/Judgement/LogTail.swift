import KVBytes
import KVModel

/// The records directly after the log, by its length.
struct LogTail {
  /// The size of the blocks that reach the disk as a whole; a block that did not is of an older
  /// state.
  static let blockCount = 512
  /// The number of zeros between the log and the next block that show that nothing was written
  /// there.
  private static let unwrittenCount = 16

  /// The number of whole records.
  private(set) var count = 0
  /// The end of the last whole record.
  private(set) var end: Int
  /// The last whole record.
  private(set) var last: AppleRecordShape?
  /// Whether there is damage before the last whole record.
  private(set) var isDamaged = false
  /// Whether bytes that were never written separate the records from the log.
  private(set) var isApart = false

  private let reader: AppleRecordReader
  private let written: Range<Int>

  /// Walks over the records from `start`; `written` is the range of everything that was ever
  /// written.
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
      case .record(let shape) where shape.lengths == .restored:
        // A record that starts inside a gap was already tested with the gap.
        let start = shape.range.lowerBound
        guard start == gapEnd || reader.isRecordStart(start, in: written) else { return }
        hasDamage = true
      case .record(let shape):
        // A value of older contents, if it is read as the fixed part of a record, is none.
        let start = shape.range.lowerBound
        guard shape.ending == .separator, count > 0 || reader.isRecordStart(start, in: written)
        else { return }
        hasDamage = true
      case .gap(let gap):
        // Older contents begin with the rest of a record or with a whole one.
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

  /// Returns whether zeros from `offset` end at a block boundary, and the next block was written.
  ///
  /// Then the block with the end of the log is of an older state.
  private func isUnwritten(at offset: Int) -> Bool {
    let next = (offset / Self.blockCount + 1) * Self.blockCount
    return next - offset >= Self.unwrittenCount && next < written.upperBound
      && reader.image.isZero(in: offset..<next)
  }
}
