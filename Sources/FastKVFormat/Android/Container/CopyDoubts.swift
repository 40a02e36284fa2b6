import KVBytes
import KVModel

/// Which entries are worth less than the checksum over them says, because of another copy.
///
/// - A `.kvc` that does not hold was newer than the pair beside it: any entry of the pair may be old.
/// - Two copies that hold and differ: what differs may be old, in the one that is not the newer, and
///   in the pair beside a `.kvc`, whose age only its contents tell.
/// - A copy in which a write ended half-way: the keys of what it was writing, or all where they cannot
///   be read.
/// - Two copies of the pair of which one record differs, and their ages do not explain it: its value may
///   be damaged in either. The lanes of the copy that holds do not see changes that cancel out. Where one
///   copy goes on after the other, the write that ended between them is what it goes on with: a value
///   that differs before that is of no single write.
/// - A copy of the pair that does not hold and is not of the same state: it may be the newer one; see
///   ``OtherState``.
/// - A `.kvc` with bytes after its log, which FastKV never writes: its header may be an older one.
struct CopyDoubts: Sendable {
  private var all: Set<FileRole> = []
  private var keys: [FileRole: Set<Key>] = [:]
  /// The keys of which the other copy has another value, and what it is worth by its own checksum is not
  /// why.
  private(set) var disputed: [FileRole: Set<Key>] = [:]
  /// The keys that may be stale because the other copy of the pair, which does not hold, may be newer.
  ///
  /// They are by the copy that holds. An empty set says that entries may be missing, and none may be stale.
  private(set) var outdated: [FileRole: Set<Key>] = [:]

  init(_ copies: [AndroidCopy]) {
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
  }

  /// Whether the value of `key` in the copy with `role` may be damaged, because of another copy.
  func isDisputed(_ key: Key, in role: FileRole) -> Bool { disputed[role]?.contains(key) ?? false }

  /// Whether the value of `key` in the copy with `role` may be an older one, because of another copy.
  func mayBeStale(_ key: Key, in role: FileRole) -> Bool {
    all.contains(role) || keys[role]?.contains(key) ?? false
  }

  /// Whether there are any.
  var isEmpty: Bool { all.isEmpty && keys.isEmpty && disputed.isEmpty }

  /// What `other`, the other of the pair, has in the place of records of `copy`.
  private mutating func dispute(_ copy: AndroidCopy, _ other: AndroidCopy) {
    guard let log = copy.whole, copy.corrected == nil, other.corrected == nil,
      !other.header.isBeingWritten
    else { return }
    let isSameChecksum = other.whole != nil && copy.header.checksum == other.header.checksum
    // Both hold, and not by the same checksum: an update in place can have come to only one of them.
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
      // Of two logs with one checksum, one at least has changes that cancel out, wherever they are.
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
    // A damaged copy says nothing of one that holds, unless they are not of the same store.
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

  /// What an unfinished write into `other`, the other of the pair, says about `copy`.
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
      // Slack is the same in both copies, and says nothing.
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
  /// The key of the record at `shape`, also where its value cannot be read.
  func key(of shape: AndroidRecordShape) -> Key? {
    let bytes = decoded.stored.bytes(in: shape.key)
    let plain = decoded.isEncrypted ? decoded.cipher?.decrypt(bytes) : bytes
    guard let plain, AndroidText.form(plain.storageSpan, plain.indices) != .malformed else {
      return nil
    }
    return Key(plain)
  }
}
