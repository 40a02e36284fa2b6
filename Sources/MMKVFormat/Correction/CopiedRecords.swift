import KVBytes
import KVModel

/// The records that the last full rewrite copied to the front of the file, where they still stand after
/// the log.
///
/// A rewrite copies the live records of the log before it, and so what is live in what is left of that
/// one says, byte for byte, what a part of the new log was. Engines since 1.2 copy in file order: all
/// that is left is how the rewritten log ends. Older ones copy in the order of a hash table: there each
/// copy is known by its key.
///
/// This alone proves nothing: of two that differ, either may be damaged, and the log after may be older
/// still. The digest decides.
struct CopiedRecords {
  /// The most bytes after the log that are looked at.
  private static let searchLimit = 1 << 20
  /// With how many of the first records after the log left out it is tried: reading begins in the middle
  /// of a record there, and may not be in sync at once.
  private static let skipLimit = 3

  /// The most bytes in which a record with a damaged key differs from its copy.
  private static let keyDamageLimit = 8
  /// The most bytes that a prefix has.
  private static let prefixLimit = 5

  private let image: FileImage
  /// The newest record of each key, in file order.
  private let originals: [Record]

  /// The live records after `log`, up to the first bytes that do not decode.
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

  /// The changes that make a part of the log at `log` what was copied, each set by itself; the log is read
  /// around `gaps`, and the rewrite ended at `end`.
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

  /// The changes that make each record of the log what was copied for its key, or for one that differs in
  /// a few bytes, where that is as long, and each gap the copy of a lost record that is as long as it.
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
      // The prefix has no copy, and counts to a gap after it.
      let isFirst = gap.offset == DataHeader.byteCount
      let counts = isFirst ? gap.count - Self.prefixLimit...gap.count : gap.count...gap.count
      guard let index = rest.firstIndex(where: { counts.contains($0.count) }) else { continue }
      let copy = rest.remove(at: index)
      changes += differences(from: [copy], at: gap.end - copy.count)
    }
    return changes.sorted { $0.offset < $1.offset }
  }

  /// The changes that put the bytes of `records`, one after the other, at `start`.
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
