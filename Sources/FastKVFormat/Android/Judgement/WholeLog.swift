import KVBytes
import KVModel

/// Finds the log of a copy by its checksum if the header gives no length or a wrong one.
enum WholeLog {
  /// Returns the log from the start of `area` to the only end of a record at which the lanes match
  /// `checksum`.
  ///
  /// `nil` if the engine could not read every record of it, or if several ends match, as similar
  /// records cancel out, or bytes within the last record, as zeros change no lane.
  ///
  /// - Complexity: O(`area.count`).
  static func proven(
    _ copy: DecodedCopy, in area: Range<Int>, by checksum: UInt64
  ) -> Extent? {
    var lanes = XORLanes()
    var position = area.lowerBound
    let judge = RecordJudge(copy: copy)
    var found: Extent?
    for shape in AndroidShapes(copy.stored, in: area) {
      switch judge.verdict(on: shape) {
      case .whole, .skipped: break
      case .refused, .broken: return found
      }
      lanes.update(copy.stored.storageSpan, in: position..<shape.range.lowerBound)
      let isEnd = lanes.reaches(checksum, by: shape.range, of: copy.stored.storageSpan)
      lanes.update(copy.stored.storageSpan, in: shape.range)
      position = shape.range.upperBound
      if isEnd {
        if found != nil { return nil }
        found = Extent(copy.role, area.lowerBound..<position)
      }
    }
    return found
  }
}
