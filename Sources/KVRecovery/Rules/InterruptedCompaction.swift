import KVBytes
import KVModel

/// The bytes that an interrupted in-place compaction leaves between the records that it has copied
/// and those that it has not reached.
enum InterruptedCompaction: LogRule {
  static let id: RuleID = "log.interrupted-compaction"
  static let premise = """
    the log is not encrypted, and no key occurs twice before its first gap. Bytes next to a gap \
    occur twice, and most keys between the first gap and the last also occur elsewhere
    """
  static let conclusion =
    "all bytes from the first gap to the last are left over from moving records: one gap"
  static let ceiling = Evidence.structure
  static let failure = "if other damage lies between equal values: what decodes there is then lost"

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    guard let log = investigation.log else { return [] }
    let gaps = investigation.snapshot.gaps
    guard let compaction = InterruptedRewrite(in: investigation.store, log, around: gaps) else {
      return []
    }
    return [Conclusion(.gap(compaction.whole(gaps)), by: Self.self)]
  }
}

/// The trace of an in-place compaction during which the app was killed.
///
/// The engine moves the records that it keeps to the start of the log, one run after another.
/// Remains of copied bytes lie between the copied records and those that the engine did not reach.
/// These remains show that bytes were copied: either the bytes at the end of the gap also occur
/// before it, or the record before the gap occurs again after it. No key occurs twice before the
/// gap, because a rewritten log has no duplicates. Records that can be read among the remains were
/// copied to the front or were already dead, so their keys also occur elsewhere.
///
/// In an encrypted log, copied bytes differ from their originals, so nothing is detected.
struct InterruptedRewrite {
  /// The number of bytes from which a repetition is not an accident.
  private static let copyCount = 12
  /// The same number for records that end with a separator, which occurs in many places.
  private static let separatedCopyCount = 40

  /// The remains of copied bytes between the two parts.
  let leftover: Extent

  /// Creates the trace in the log at `log`, read around `gaps`; returns `nil` if there is none.
  ///
  /// - Complexity: O(*n*) for a log of *n* bytes.
  init?<S: Store>(in store: S, _ log: Extent, around gaps: [Gap]) {
    guard !store.isEncrypted, let gap = gaps.first, gap.cause != .zeros, gap.extent.end < log.end
    else { return nil }
    let front = Extent(log.file, log.offset..<gap.extent.offset)
    var keys: Set<Key> = []
    var last: Record?
    for case .record(let record) in store.records(in: front, scan: .plain) {
      guard keys.insert(store.key(of: record)).inserted else { return nil }
      last = record
    }
    guard keys.count > 1, let last else { return nil }
    let image = store.stored(log.file)
    let rest = Extent(log.file, gap.extent.end..<log.end)
    guard
      InterruptedRewrite.isCopied(
        image, gap.extent.range, after: log.offset,
        least: store.traits.hasRecordChecksums
          ? InterruptedRewrite.separatedCopyCount : InterruptedRewrite.copyCount)
        || InterruptedRewrite.isRepeated(last, in: rest, of: store, around: gaps)
    else { return nil }
    leftover = gap.extent
    guard isKnownBetween(gaps, keys, log, in: store) else { return nil }
  }

  /// Returns whether most records between the first and the last of `gaps` have keys that also
  /// occur in `front`, the keys before the gaps, or after the gaps.
  private func isKnownBetween<S: Store>(
    _ gaps: [Gap], _ front: Set<Key>, _ log: Extent, in store: S
  ) -> Bool {
    guard let last = gaps.last, gaps.count > 1 else { return true }
    var known = front
    let rest = Extent(log.file, last.extent.end..<log.end)
    for case .record(let record) in store.records(in: rest, scan: .plain) {
      known.insert(store.key(of: record))
    }
    var count = (known: 0, other: 0)
    let between = Extent(log.file, leftover.offset..<last.extent.end)
    for case .record(let record) in store.records(in: between, scan: .plain, around: gaps) {
      if known.contains(store.key(of: record)) { count.known += 1 } else { count.other += 1 }
    }
    return count.known >= count.other
  }

  /// Returns one gap that includes everything up to the last of `gaps`.
  ///
  /// The records between the gaps were copied too, or were already dead.
  func whole(_ gaps: [Gap]) -> Gap {
    let end = gaps.last?.extent.end ?? leftover.end
    return Gap(Extent(leftover.file, leftover.offset..<end), gaps.first?.cause ?? .implausible)
  }

  /// Returns whether the bytes at the end of `gap` also occur before it.
  private static func isCopied(
    _ image: FileImage, _ gap: Range<Int>, after start: Int, least: Int
  ) -> Bool {
    let count = min(gap.count, max(least, 2 * copyCount))
    guard count >= least else { return false }
    let copy = image.bytes(in: gap.upperBound - count..<gap.upperBound)
    return image.firstOccurrence(of: copy, in: start..<gap.upperBound - count) != nil
  }

  /// Returns whether `record` occurs again in `rest`, byte for byte.
  private static func isRepeated<S: Store>(
    _ record: Record, in rest: Extent, of store: S, around gaps: [Gap]
  ) -> Bool {
    guard record.count >= copyCount else { return false }
    let image = store.stored(rest.file)
    let bytes = image.bytes(in: record.extent.range)
    let gaps = gaps.filter { $0.extent.offset >= rest.offset }
    for case .record(let other) in store.records(in: rest, scan: .plain, around: gaps)
    where other.count == record.count && image.bytes(in: other.extent.range) == bytes {
      return true
    }
    return false
  }
}
