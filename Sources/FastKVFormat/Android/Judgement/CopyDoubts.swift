import KVBytes
import KVModel

/// The entries that are less certain than their checksum says, because of another copy.
///
/// - A damaged `.kvc` was newer than the pair beside it, so any entry of the pair may be stale.
/// - Two intact copies differ. What differs may be stale in the older copy. In a pair beside a
///   `.kvc` it may be stale too, because only the contents show the age of a `.kvc`.
/// - The other copy of the pair is damaged, or was being written, and is of another state. It may be
///   the newer one; see ``CopyComparison``.
/// - A record differs between the copies of the pair, and their ages do not explain it. The value
///   may be damaged in either copy: the lanes of the intact one do not detect changes that cancel
///   out.
/// - A `.kvc` has bytes after its log, which FastKV never writes. Its header may be an older one.
struct CopyDoubts: Sendable {
  private var all: Set<FileRole> = []
  private var keys: [FileRole: Set<Key>] = [:]
  /// The keys with another value in the other copy, although their own checksum matches.
  ///
  /// Either value may be the right one.
  private(set) var disputed: [FileRole: Set<Key>] = [:]
  /// The keys that may be stale because the other copy of the pair, which is damaged, may be newer;
  /// by the role of the intact copy.
  ///
  /// An empty set means that entries may be missing and none may be stale.
  private(set) var outdated: [FileRole: Set<Key>] = [:]

  /// No doubts.
  init() {}

  /// Finds the doubts that `copies` raise about each other.
  init(_ copies: [AndroidCopy]) {
    let last = copies.first { !$0.isOfPair }
    if let last, last.whole == nil, !last.isHonestlyEmpty { all = [.copyA, .copyB] }
    for copy in copies {
      for other in copies where other.file.role != copy.file.role { differ(copy, other) }
      if copy.hasTail { all.insert(copy.file.role) }
      guard let log = copy.whole, copy.isOfPair else { continue }
      let other = copies.first { $0.isOfPair && $0.file.role != copy.file.role }
      if other?.whole == nil, lacksEnd(copy, log, beside: other) { all.insert(copy.file.role) }
      if let other { compare(copy, log, with: other) }
    }
  }

  /// Returns whether the value of `key` in the copy with `role` may be damaged, because of another
  /// copy.
  func isDisputed(_ key: Key, in role: FileRole) -> Bool { disputed[role]?.contains(key) ?? false }

  /// Returns whether the value of `key` in the copy with `role` may be stale, because of another
  /// copy.
  func mayBeStale(_ key: Key, in role: FileRole) -> Bool {
    all.contains(role) || keys[role]?.contains(key) ?? false
  }

  /// Whether no entry is in doubt.
  var isEmpty: Bool { all.isEmpty && keys.isEmpty && disputed.isEmpty }

  /// Records the keys of `copy` that may be stale because `other` is intact and not older.
  private mutating func differ(_ copy: AndroidCopy, _ other: AndroidCopy) {
    guard copy.believed != nil, other.believed != nil else { return }
    // A damaged copy says nothing about an intact one, unless they are different stores.
    if other.whole == nil, copy.isOfPair || !other.isOfPair { return }
    let relation = CopyRelation(of: copy, to: other)
    if relation == .same || relation == .newer && other.isOfPair { return }
    if other.whole == nil, relation != .unrelated { return }
    keys[copy.file.role, default: []].formUnion(
      CopyContents(copy).keys(notIn: CopyContents(other)))
  }

  /// Returns whether copy B states a length whose bytes are not written.
  private func lacksEnd(_ copy: AndroidCopy, _ log: Extent, beside other: AndroidCopy?) -> Bool {
    // As FastKV.updateChange: B's length is written before its checksum and its bytes.
    guard copy.file.role == .copyB, copy.header != other?.header, let stated = copy.log else {
      return false
    }
    return stated.end - log.end >= 4 && copy.file.image.isZero(in: log.end..<stated.end)
  }

  /// Records what the records of `other`, the other one of the pair, say about the intact `copy`.
  private mutating func compare(
    _ copy: AndroidCopy, _ log: Extent, with other: AndroidCopy
  ) {
    guard other.corrected == nil, other.file.image.count >= AndroidHeader.byteCount else { return }
    let walk = CopyComparison(of: copy, log, with: other, until: other.file.image.count)
    let isSameSum = copy.header.checksum == other.header.checksum
    if copy.corrected == nil, !other.header.isBeingWritten {
      // Of two logs with the same checksum, at least one has changes that cancel out, and they can be
      // anywhere. With different checksums, an update in place may have reached only one of them.
      let isExplained =
        other.whole != nil && ![.newer, .older].contains(CopyRelation(of: copy, to: other))
      let found =
        other.whole != nil && isSameSum ? walk.differing : isExplained ? [] : walk.changed
      let keys = Set(found.compactMap { copy.key(of: $0) })
      if !keys.isEmpty { disputed[copy.file.role] = keys }
    }
    if other.whole == nil, !isSameSum { weigh(walk, copy, log, other) }
  }

  /// Records the keys of `copy` that may be stale because `other`, whose checksum is another one, may
  /// be of a newer state.
  ///
  /// If both copies were written completely, both headers state the same checksum, and any difference
  /// is damage. If only one field of the header differs, the header is damaged. If both differ and the
  /// length is a longer one that fits, the header is newer. If its records do not lead to that length,
  /// pages of that state are missing, and any entry may have been changed in them.
  ///
  /// When this is wrong: if the damaged copy is the newer one, only its header is left of the newer
  /// state, and its log is not longer.
  private mutating func weigh(
    _ walk: CopyComparison, _ copy: AndroidCopy, _ log: Extent, _ other: AndroidCopy
  ) {
    let surplus = Self.surplus(of: other, after: log, of: copy)
    if walk.isAhead, !walk.isBehind, surplus.keys.isEmpty { return }
    let isTorn = other.header.isBeingWritten
    let statedEnd = other.header.count.map { other.area.offset + $0 } ?? other.area.end
    // Equal bytes after the end that the damaged copy states are slack, and confirm nothing.
    let unconfirmed = isTorn ? [] : walk.live.filter { $0.range.upperBound > statedEnd }
    let isFound = !walk.differing.isEmpty || !surplus.keys.isEmpty
    // A random length is hardly ever in the file.
    let isLonger = statedEnd > log.end && statedEnd <= other.area.end
    let isIncomplete = isTorn ? !isFound : isLonger && surplus.end != statedEnd
    // If a copy was cut, the part in which it differs may be gone.
    let isCut = other.file.image.count < min(log.end, copy.file.image.count)
    let isCounted = other.header.count == copy.header.count
    guard isFound || isIncomplete || isCut && !isCounted else { return }
    let stale = isIncomplete || !isFound ? walk.live : walk.differing + unconfirmed
    let keys = Set(stale.compactMap { copy.key(of: $0) }).union(surplus.keys)
    if !isTorn { outdated[copy.file.role] = keys }
    self.keys[copy.file.role, default: []].formUnion(keys)
  }

  /// Returns the keys of the records that `other` has after the end of the log of `copy`, and
  /// `copy` lacks, and the end of these records.
  private static func surplus(
    of other: AndroidCopy, after log: Extent, of copy: AndroidCopy
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
      // A record that was being written may be there in part.
      let isRecord =
        other.header.isBeingWritten || copy.decoded.fullTest.accepts(shape, theirs.storageSpan)
      guard !isShared, isRecord, let key = other.key(of: shape) else { break }
      keys.insert(key)
      end = shape.range.upperBound
    }
    return (keys, end)
  }
}

extension AndroidCopy {
  /// Returns the key of the record at `shape`, even if its value cannot be read.
  func key(of shape: AndroidRecordShape) -> Key? {
    let bytes = decoded.stored.bytes(in: shape.key)
    let plain = decoded.isEncrypted ? decoded.cipher?.decrypt(bytes) : bytes
    guard let plain, AndroidText.form(plain.storageSpan, plain.indices) != .malformed else {
      return nil
    }
    return Key(plain)
  }
}
