import KVBytes
import KVModel

/// The entries that are less certain than their checksum says, because of another copy.
///
/// - A damaged `.kvc` was newer than the pair beside it, so any entry of the pair may be stale.
/// - Two intact copies differ. What differs may be stale in the older copy. In a pair beside a
///   `.kvc` it may be stale too, because only the contents show the age of a `.kvc`.
/// - A write into one copy of the pair was interrupted. The keys that it was writing may be stale
///   in the other copy, or all keys if they cannot be read.
/// - A record differs between the copies of the pair, and their ages do not explain it. The value
///   may be damaged in either copy: the lanes of the intact one do not detect changes that cancel
///   out. If one copy continues after the other ends, only that continuation is explained by an
///   interrupted write; a value that differs before it is not.
/// - A damaged copy of the pair is of another state and may be the newer one; see ``OtherState``.
/// - A `.kvc` is beside a complete `.tmp`, which is newer. What differs is stale, and what only the
///   `.tmp` has is missing.
/// - A `.kvc` has bytes after its log, which FastKV never writes. Its header may be an older one.
struct CopyDoubts: Sendable {
  private var all: Set<FileRole> = []
  private var keys: [FileRole: Set<Key>] = [:]
  /// The keys with another value in the other copy, although their own checksum matches.
  ///
  /// Either value may be the right one.
  private(set) var disputed: [FileRole: Set<Key>] = [:]
  /// The keys that may be stale because the other copy of the pair, which is damaged, may be newer,
  /// or because a `.tmp` is newer than the `.kvc`; by the role of the intact copy.
  ///
  /// An empty set means that entries may be missing and none may be stale.
  private(set) var outdated: [FileRole: Set<Key>] = [:]

  init(_ copies: [AndroidCopy], newerThanC: AndroidCopy?) {
    if let last = copies.first(where: { $0.file.role == .copyC }), last.whole == nil,
      !last.isHonestlyEmpty
    {
      all = [.copyA, .copyB]
    }
    for copy in copies {
      for other in copies where other.file.role != copy.file.role { differ(copy, other) }
      guard copy.whole != nil, copy.file.role != .copyC else { continue }
      let other = copies.first { $0.file.role == (copy.file.role == .copyA ? .copyB : .copyA) }
      if other?.whole == nil { interrupted(copy, other) }
      if let other { dispute(copy, other) }
      if let other, let state = OtherState(other, beside: copy) {
        outdated[copy.file.role] = state.keys
        keys[copy.file.role, default: []].formUnion(state.keys)
      }
    }
    for copy in copies where copy.hasTail { all.insert(copy.file.role) }
    if let newerThanC, let last = copies.first(where: { $0.file.role == .copyC }) {
      let stale = CopyContents(last).keys(notIn: CopyContents(newerThanC))
      outdated[.copyC] = stale
      keys[.copyC, default: []].formUnion(stale)
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

  /// Records the keys of `copy` for which `other`, the other one of the pair, has another value in
  /// place.
  private mutating func dispute(_ copy: AndroidCopy, _ other: AndroidCopy) {
    guard let log = copy.whole, copy.corrected == nil, other.corrected == nil,
      !other.header.isBeingWritten
    else { return }
    let isSameChecksum = other.whole != nil && copy.header.checksum == other.header.checksum
    // If both are intact with different checksums, an update in place may have reached only one of
    // them.
    if other.whole != nil, !isSameChecksum,
      ![.newer, .older].contains(CopyRelation(of: copy, to: other))
    {
      return
    }
    let (mine, theirs) = (copy.decoded.stored, other.decoded.stored)
    let test = RecordTest(isEncrypted: copy.decoded.isEncrypted, cipher: copy.decoded.cipher)
    for shape in AndroidShapes(mine, in: log.range) where !shape.isStruck {
      guard shape.range.upperBound <= theirs.count,
        mine.bytes[shape.range] != theirs.bytes[shape.range]
      else { continue }
      // Of two logs with the same checksum, at least one has changes that cancel out, and they can
      // be anywhere.
      if isSameChecksum, let key = copy.key(of: shape) {
        disputed[copy.file.role, default: []].insert(key)
        continue
      }
      guard
        case .success(let its) = AndroidRecordShape.read(
          theirs.storageSpan, at: shape.range.lowerBound, limit: shape.range.upperBound),
        its.range == shape.range, its.info == shape.info,
        mine.bytes[shape.key] == theirs.bytes[its.key], test.passes(its, theirs.storageSpan),
        let key = copy.key(of: shape)
      else { continue }
      disputed[copy.file.role, default: []].insert(key)
    }
  }

  private mutating func differ(_ copy: AndroidCopy, _ other: AndroidCopy) {
    // A damaged copy says nothing about an intact one, unless they are different stores.
    let isOfPair = copy.file.role != .copyC && other.file.role != .copyC
    if other.whole == nil, isOfPair || copy.file.role != .copyC { return }
    guard copy.believed != nil, other.believed != nil else { return }
    let relation = CopyRelation(of: copy, to: other)
    if other.whole == nil, relation != .unrelated { return }
    switch relation {
    case .same: return
    case .newer where other.file.role != .copyC: return
    default:
      let mine = CopyContents(copy).keys(notIn: CopyContents(other))
      keys[copy.file.role, default: []].formUnion(mine)
    }
  }

  /// Records what an interrupted write into `other`, the other one of the pair, says about `copy`.
  private mutating func interrupted(_ copy: AndroidCopy, _ other: AndroidCopy?) {
    guard let log = copy.whole else { return }
    // As FastKV.updateChange: B's length is written before its checksum and its bytes.
    if copy.file.role == .copyB, copy.header != other?.header, let stated = copy.log,
      stated.end - log.end >= 4, copy.file.image.isZero(in: log.end..<stated.end)
    {
      all.insert(.copyB)
    }
    guard let other, other.header.isBeingWritten, other.header.checksum != copy.header.checksum
    else { return }
    var found: Set<Key> = []
    var mine = AndroidShapes(copy.decoded.stored, in: log.range)
    for shape in AndroidShapes(other.decoded.stored, in: other.area.range) {
      let known = mine.next()
      if let known, known.range == shape.range,
        copy.decoded.stored.bytes[known.range] == other.decoded.stored.bytes[shape.range]
      {
        continue
      }
      // Slack is the same in both copies and no evidence.
      if known == nil, shape.range.upperBound <= copy.file.image.count,
        copy.file.image.bytes[shape.range] == other.file.image.bytes[shape.range]
      {
        break
      }
      guard let key = other.key(of: shape) else { continue }
      found.insert(key)
    }
    if found.isEmpty {
      all.insert(copy.file.role)
    } else {
      keys[copy.file.role, default: []].formUnion(found)
    }
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
