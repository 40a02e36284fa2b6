import KVBytes
import KVModel

/// How the engine judges the records of a log whose checksum matches, one after the other.
struct LogSurvey: Sendable {
  /// The number of entries that the engine loads or skips.
  let recordCount: Int
  /// The first record that makes the engine drop the copy though its checksum matches.
  let refused: Extent?
  /// Whether any records do not decode.
  let isBroken: Bool

  /// Surveys the log that `stated` describes in `copy`.
  ///
  /// `nil` if the engine reads no record because the checksum, the key or the encryption bit is
  /// wrong.
  ///
  /// - Complexity: O(count of the log).
  init?(_ copy: DecodedCopy, _ stated: CopyClaim) {
    guard let log = stated.log, stated.isVerified, copy.isReadable,
      copy.isEncrypted == stated.header.isEncrypted || log.count == 0
    else { return nil }
    let judge = RecordJudge(copy: copy)
    var count = 0
    var refused: Extent?
    var isBroken = false
    var end = log.offset
    for shape in AndroidShapes(copy.stored, in: log.range) {
      let verdict = judge.verdict(on: shape)
      switch verdict {
      case .whole, .skipped: count += 1
      case .refused, .broken:
        isBroken = isBroken || verdict == .broken
        refused = refused ?? Extent(log.file, shape.range)
      }
      end = shape.range.upperBound
    }
    if end != log.end {
      isBroken = true
      refused = refused ?? Extent(log.file, end..<log.end)
    }
    recordCount = count
    self.refused = refused
    self.isBroken = isBroken
  }
}
