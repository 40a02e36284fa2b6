import KVBytes
import KVModel

/// What a copy of the pair that does not hold says about one that does, where it is of another state.
///
/// Both headers state the same checksum where both copies were written to their end; then what differs is
/// damage. With another checksum, the damaged copy is older or newer, or its checksum is damaged too. FastKV
/// appends records, strikes them out and writes values in place, so that the records at the same offsets
/// tell which:
///
/// - A record that is struck in only one copy, or is only in one copy, makes that copy the newer one.
/// - A value that differs, and bytes that no longer decode, say nothing of age; nor do zeros.
/// - Equal bytes after the end that the damaged copy states are slack, and confirm nothing.
///
/// Where nothing but the header differs, the header is damaged. Where something shows that the copy that
/// holds is the newer one, and nothing the contrary, no entry becomes unverified.
///
/// When it is wrong: where the damaged copy is the newer one and only its header is left of that.
struct OtherState {
  /// The keys of the copy that holds whose value may be an older one.
  private(set) var keys: Set<Key> = []

  /// What `other` shows about `copy`; `nil` where it shows no fault.
  ///
  /// - Complexity: O(size of the files).
  init?(_ other: AndroidCopy, beside copy: AndroidCopy) {
    guard let log = copy.whole, other.whole == nil, other.corrected == nil,
      other.file.image.count >= AndroidHeader.byteCount,
      // The mark of a write that did not end is judged by what was written.
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
    isAfter = isAfter || !surplus.isEmpty
    if isAhead, !isAfter { return nil }
    if differing.isEmpty, surplus.isEmpty {
      // Of a copy that was cut, the part in which it differs may be gone.
      let isCut = other.file.image.count < min(log.end, copy.file.image.count)
      guard isCut, other.header.count != copy.header.count else { return nil }
      differing = AndroidShapes(mine, in: log.range).filter { !$0.isStruck }
    }
    keys = Set((differing + unconfirmed).compactMap { copy.key(of: $0) }).union(surplus)
  }

  /// The record of `image` in the place of `shape`, with its key.
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

  /// The keys of the records that `other` has where the log of `copy` ends, and `copy` has not.
  private static func surplus(
    of other: AndroidCopy, after log: Extent, of copy: AndroidCopy, _ test: RecordTest
  ) -> Set<Key> {
    var keys: Set<Key> = []
    guard log.end < other.area.end else { return keys }
    let (mine, theirs) = (copy.decoded.stored, other.decoded.stored)
    for shape in AndroidShapes(theirs, in: log.end..<other.area.end) {
      // Slack is the same in both copies, and says nothing.
      let isShared =
        shape.range.upperBound <= mine.count
        && mine.bytes[shape.range] == theirs.bytes[shape.range]
      guard !isShared, test.passes(shape, theirs.storageSpan), let key = other.key(of: shape) else {
        break
      }
      keys.insert(key)
    }
    return keys
  }
}
