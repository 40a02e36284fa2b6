import KVBytes
import KVModel

/// The records that the last full rewrite copied to the start of the file, if the originals are
/// still present after the log.
///
/// A rewrite copies the live records of the previous log. So the live records in what is left of
/// that log show, byte for byte, what part of the new log was. Engines since 1.2 copy in file
/// order: the leftover records are how the rewritten log ends. Older engines copy in hash table
/// order, so each copy is matched by its key.
///
/// This alone proves nothing: if the two differ, either may be damaged, and the leftover records
/// may be of an even older log. The checksum decides.
struct CopiedRecords {
  /// The number of bytes after the log that are searched.
  private static let searchLimit = 1 << 20
  /// The largest number of initial records after the log to leave out in attempts: reading starts
  /// in the middle of a record there, and may be out of sync at first.
  private static let skipLimit = 3

  /// The largest number of bytes in which a record with a damaged key may differ from its copy.
  private static let keyDamageLimit = 8
  /// The longest prefix, in bytes.
  private static let prefixLimit = 5

  private let image: FileImage
  /// The newest record of each key, in file order.
  private let originals: [Record]

  /// Reads the live records after `log`, up to the first gap after a record.
  init(_ view: MMKVView, after log: Extent) {
    image = view.plain
    let after = Extent(.data, log.end..<min(image.count, log.end + Self.searchLimit))
    var newest: [Key: Record] = [:]
    let records = MMKVRecords(
      image, in: after.range, mode: .plain, isEncrypted: false, gaps: view.gaps(in: after))
    for event in records {
      if case .record(let record) = event {
        newest[Key(image.bytes(in: record.key))] = record
      } else if case .gap = event, !newest.isEmpty {
        break
      }
    }
    originals = newest.values.filter { $0.operation == .put }.sorted { $0.offset < $1.offset }
  }

  /// Returns the sets of changes that each restore a part of `log` from the originals; `gaps` are
  /// those of the log, and `end` is where the rewrite ended.
  func changes(in log: Extent, around gaps: [Gap], until end: Int?) -> [[ByteChange]] {
    guard !originals.isEmpty else { return [] }
    var sets: [[ByteChange]] = []
    if let end {
      for skipped in 0..<min(Self.skipLimit, originals.count) {
        let copied = originals.dropFirst(skipped)
        let start = end - copied.reduce(0) { $0 + $1.count }
        guard start > log.offset else { continue }
        sets.append(differences(from: Array(copied), at: start))
      }
    }
    sets.append(byKey(in: log, around: gaps))
    var distinct: [[ByteChange]] = []
    for set in sets where !set.isEmpty && !distinct.contains(set) { distinct.append(set) }
    return distinct
  }

  /// Returns the changes that restore each record of the log, and each gap, from an original of the
  /// same length.
  ///
  /// A record matches the original with its key, or one that differs in a few bytes. A gap matches
  /// an original that no record of the log corresponds to.
  private func byKey(in log: Extent, around gaps: [Gap]) -> [ByteChange] {
    var lost: [Key: Record] = [:]
    for record in originals { lost[Key(image.bytes(in: record.key))] = record }
    var changes: [ByteChange] = []
    var unread: [Extent] = []
    var unknown: [Record] = []
    for event in MMKVRecords(
      image, in: log.range, mode: .plain, isEncrypted: false, gaps: gaps)
    {
      switch event {
      case .filler: continue
      case .gap(let gap): unread.append(gap.extent)
      case .record(let record):
        guard let original = lost.removeValue(forKey: Key(image.bytes(in: record.key))) else {
          unknown.append(record)
          continue
        }
        guard original.count == record.count else { continue }
        changes += differences(from: [original], at: record.offset)
      }
    }
    var rest = lost.values.sorted { $0.offset < $1.offset }
    for record in unknown where !rest.isEmpty {
      let index = rest.firstIndex {
        $0.count == record.count
          && differences(from: [$0], at: record.offset).count <= Self.keyDamageLimit
      }
      guard let index else { continue }
      changes += differences(from: [rest.remove(at: index)], at: record.offset)
    }
    for gap in unread {
      // The prefix has no copy; if a gap follows it, the gap includes it.
      let isFirst = gap.offset == DataHeader.byteCount
      let counts = isFirst ? gap.count - Self.prefixLimit...gap.count : gap.count...gap.count
      guard let index = rest.firstIndex(where: { counts.contains($0.count) }) else { continue }
      let copy = rest.remove(at: index)
      changes += differences(from: [copy], at: gap.end - copy.count)
    }
    return changes.sorted { $0.offset < $1.offset }
  }

  /// Returns the changes that write the bytes of `records`, one after another, at `start`.
  private func differences(from records: [Record], at start: Int) -> [ByteChange] {
    var changes: [ByteChange] = []
    var offset = start
    for record in records {
      for source in record.extent.range {
        let mask = image[offset] ^ image[source]
        if mask != 0 { changes.append(ByteChange(.data, at: offset, xor: mask)) }
        offset += 1
      }
    }
    return changes
  }
}
