import FastKVFormat
import KVModel

/// Compaction: dropping the dead records.
extension AndroidFastKVSimulator {
  /// The number of dead bytes that triggers a compaction.
  static let invalidByteLimit = 8192
  /// The number of dead records that triggers a compaction.
  private static let invalidRecordLimit = 100
  /// The number of free bytes after the records above which a compaction shrinks the files.
  private static let freeLimit = 32 * 1024

  /// Compacts the store if it has too many dead bytes or records.
  ///
  /// As GCHelper.checkGC.
  mutating func collectIfDue() {
    if invalidCount >= Self.invalidByteLimit || invalid.count >= Self.invalidRecordLimit {
      collect(for: 0)
    }
  }

  /// Moves the live records down over the dead ones, in place, and shrinks the files if much space
  /// is free.
  ///
  /// As GCHelper.gc, updateOffset and truncate.
  mutating func collect(for extra: Int) {
    let dead = merged
    guard let first = dead.first else { return }
    var target = first.lowerBound
    var moves: [(from: Int, distance: Int)] = []
    for (index, segment) in dead.enumerated() {
      let next = index + 1 < dead.count ? dead[index + 1].lowerBound : end
      let live = segment.upperBound..<next
      moves.append((live.lowerBound, live.lowerBound - target))
      buffer.replaceSubrange(target..<target + live.count, with: Array(buffer[live]))
      target += live.count
    }
    end -= invalidCount
    invalid = []
    invalidCount = 0
    checksum = lanes(of: AndroidHeader.byteCount..<end)
    publishMoved(from: first.lowerBound)
    truncate(expecting: end + extra)
    for (key, entry) in table where entry.offset > first.lowerBound {
      let distance = moves.last { $0.from <= entry.offset }?.distance ?? 0
      table[key]?.offset -= distance
      table[key]?.start -= distance
    }
  }

  /// The dead records in file order, with adjacent ones merged.
  private var merged: [Range<Int>] {
    invalid.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { merged, segment in
      if let last = merged.last, last.upperBound == segment.lowerBound {
        merged[merged.count - 1] = last.lowerBound..<segment.upperBound
      } else {
        merged.append(segment)
      }
    }
  }

  private mutating func truncate(expecting expected: Int) {
    guard buffer.count - expected > Self.freeLimit else { return }
    let count = capacity(from: page, for: expected + page)
    if count < buffer.count { resize(to: count) }
  }
}
