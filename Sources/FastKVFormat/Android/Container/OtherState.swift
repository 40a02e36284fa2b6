import KVBytes
import KVModel

/// What a damaged copy of the pair says about the intact one, if it is of another state.
///
/// If both copies were written completely, both headers state the same checksum, and any difference
/// is damage. If the checksums differ, the damaged copy is older or newer, or its checksum is
/// damaged too. FastKV appends records, marks them as deleted and overwrites values in place, so
/// the records at the same offsets show which:
///
/// - A record that is deleted in only one copy, or present in only one copy, makes that copy the
///   newer one.
/// - A value that differs, bytes that no longer decode, and zeros say nothing about age.
/// - Equal bytes after the end that the damaged copy states are slack, and confirm nothing.
///
/// If only one field of the header differs, the header is damaged. If both differ and the length is
/// a longer one that fits, the header is newer. If its records do not lead to that length, pages of
/// that state are missing, and any entry may have been changed in them.
/// If something shows that the intact copy is the newer one, and nothing shows the opposite, no entry
/// becomes unverified.
///
/// When this is wrong: if the damaged copy is the newer one, only its header is left of the newer
/// state, and its log is not longer.
struct OtherState {
  /// The keys of the intact copy whose value may be stale.
  private(set) var keys: Set<Key> = []

  /// Compares `other` with the intact `copy`; `nil` if `other` gives no reason for doubt.
  ///
  /// - Complexity: O(size of the files).
  init?(_ other: AndroidCopy, beside copy: AndroidCopy) {
    guard let log = copy.whole, other.whole == nil, other.corrected == nil,
      other.file.image.count >= AndroidHeader.byteCount,
      // A copy marked as being written is judged by what was written; see `CopyDoubts`.
      other.header.word != .max, other.header.checksum != copy.header.checksum
    else { return nil }
    let (mine, theirs) = (copy.decoded.stored, other.decoded.stored)
    let test = RecordTest(isEncrypted: copy.decoded.isEncrypted, cipher: copy.decoded.cipher)
    var isAhead = false
    var isAfter = false
    var differing: [AndroidRecordShape] = []
    var unconfirmed: [AndroidRecordShape] = []
    let statedEnd = other.header.count.map { other.area.offset + $0 } ?? other.area.end
    for shape in AndroidShapes(mine, in: log.range) {
      guard shape.range.upperBound <= theirs.count else { break }
      if mine.bytes[shape.range] == theirs.bytes[shape.range] || theirs.isZero(in: shape.range) {
        if shape.range.upperBound > statedEnd, !shape.isStruck { unconfirmed.append(shape) }
        continue
      }
      if let its = OtherState.record(of: theirs, at: shape, mine) {
        if shape.isStruck, !its.isStruck, test.passes(its, theirs.storageSpan) {
          isAhead = true
          continue
        }
        isAfter = isAfter || its.isStruck && !shape.isStruck
      }
      if !shape.isStruck { differing.append(shape) }
    }
    let surplus = OtherState.surplus(of: other, after: log, of: copy, test)
    isAfter = isAfter || !surplus.keys.isEmpty
    if isAhead, !isAfter { return nil }
    // If a copy was cut, the part in which it differs may be gone.
    let isCut = other.file.image.count < min(log.end, copy.file.image.count)
    let isIncomplete = Self.isLonger(other, than: copy) && surplus.end != statedEnd
    if isIncomplete || differing.isEmpty && surplus.keys.isEmpty {
      guard isIncomplete || isCut && other.header.count != copy.header.count else { return nil }
      differing = AndroidShapes(mine, in: log.range).filter { !$0.isStruck }
    }
    keys = Set((differing + unconfirmed).compactMap { copy.key(of: $0) }).union(surplus.keys)
  }

  /// Returns whether the header of `other` is that of a longer log in its file.
  ///
  /// A random length is hardly ever in the file.
  private static func isLonger(_ other: AndroidCopy, than copy: AndroidCopy) -> Bool {
    guard let count = other.header.count, let own = copy.header.count else { return false }
    return count > own && count <= other.area.count
  }

  /// Returns the record of `image` at the same place and with the same key as `shape`.
  private static func record(
    of image: FileImage, at shape: AndroidRecordShape, _ own: FileImage
  ) -> AndroidRecordShape? {
    guard
      case .success(let its) = AndroidRecordShape.read(
        image.storageSpan, at: shape.range.lowerBound, limit: shape.range.upperBound),
      its.range == shape.range, image.bytes[its.key] == own.bytes[shape.key]
    else { return nil }
    return its
  }

  /// Returns the keys of the records that `other` has after the end of the log of `copy`, and
  /// `copy` lacks, and the end of these records.
  private static func surplus(
    of other: AndroidCopy, after log: Extent, of copy: AndroidCopy, _ test: RecordTest
  ) -> (keys: Set<Key>, end: Int) {
    var keys: Set<Key> = []
    var end = log.end
    guard log.end < other.area.end else { return (keys, end) }
    let (mine, theirs) = (copy.decoded.stored, other.decoded.stored)
    for shape in AndroidShapes(theirs, in: log.end..<other.area.end) {
      // Slack is the same in both copies and no evidence.
      let isShared =
        shape.range.upperBound <= mine.count
        && mine.bytes[shape.range] == theirs.bytes[shape.range]
      guard !isShared, test.passes(shape, theirs.storageSpan), let key = other.key(of: shape) else {
        break
      }
      keys.insert(key)
      end = shape.range.upperBound
    }
    return (keys, end)
  }
}
