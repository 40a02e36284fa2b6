import KVBytes
import KVModel

/// The verdict on a copy by its checksum and its records.
struct CopyJudgement: Sendable {
  /// The number of entries that the engine loads or skips; `nil` if it reads no record, because the
  /// checksum, the key or the encryption bit is wrong.
  private(set) var recordCount: Int?
  /// The first record that makes the engine drop the copy though its checksum matches.
  private(set) var refused: Extent?
  /// Whether the checksum matches over records that do not decode: changes cancel out in the lanes, so
  /// the match verifies nothing.
  private(set) var isAccidental = false
  /// The log, if a checksum verifies it and the engine could read all its records, even if the
  /// header states another length.
  ///
  /// `nil` if there is none or it is empty.
  let whole: Extent?

  /// Whether the checksum matches, and the engine reads every record of the log.
  var isTaken: Bool { recordCount != nil && refused == nil }

  /// Judges a copy by what its header claims and what the engine makes of its records.
  ///
  /// - Complexity: O(size of the file).
  init(_ stated: CopyClaim, _ copy: DecodedCopy, isCorrected: Bool) {
    if let log = stated.log, stated.isVerified, copy.isReadable,
      copy.isEncrypted == stated.header.isEncrypted || log.count == 0
    {
      let judge = RecordJudge(copy: copy)
      var (count, end) = (0, log.offset)
      for shape in AndroidShapes(copy.stored, in: log.range) {
        let verdict = judge.verdict(on: shape)
        isAccidental = isAccidental || verdict == .broken
        if verdict.isLoaded {
          count += 1
        } else {
          refused = refused ?? Extent(log.file, shape.range)
        }
        end = shape.range.upperBound
      }
      if end != log.end {
        isAccidental = true
        refused = refused ?? Extent(log.file, end..<log.end)
      }
      recordCount = count
      if refused == nil {
        whole = log.count > 0 ? log : nil
        return
      }
    }
    whole =
      !isCorrected && copy.isReadable
      ? Self.log(
        of: copy, in: stated.area.range, by: stated.header.checksum, statedEnd: stated.log?.end)
      : nil
    if whole != nil { isAccidental = false }
  }

  /// Returns the log from the start of `area` to the only end of a record at which the lanes match
  /// `checksum`, as the header may give no length or a wrong one.
  ///
  /// `nil` if the engine could not read every record of it, or if several ends match, as similar
  /// records cancel out, or bytes within the last record, as zeros change no lane. Also `nil` if
  /// another record follows that ends no later than `statedEnd`.
  ///
  /// - Complexity: O(`area.count`).
  private static func log(
    of copy: DecodedCopy, in area: Range<Int>, by checksum: UInt64, statedEnd: Int?
  ) -> Extent? {
    var lanes = XORLanes()
    var position = area.lowerBound
    let judge = RecordJudge(copy: copy)
    var found: Extent?
    for shape in AndroidShapes(copy.stored, in: area) {
      guard judge.verdict(on: shape).isLoaded else { return found }
      if found?.end == position, shape.range.upperBound <= statedEnd ?? 0 { return nil }
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
