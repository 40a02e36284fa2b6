import KVBytes
import KVModel

/// The part of an extent that was ever written to, and the gaps in it.
struct WrittenArea {
  /// The largest number of zeros at the end of a record that is still considered whole: those of a
  /// double, its length and its expiry time.
  private static let zeroTail = 16

  /// The bytes up to the end of the record that contains the last nonzero byte, or up to that byte.
  let extent: Extent
  /// The bytes that must be left out for the rest to decode.
  let gaps: [Gap]

  /// Creates the area of a known log, which is read without gaps.
  init(known log: Extent) {
    extent = log
    gaps = []
  }

  /// Finds the written part of `area` of `store`, in which everything up to `settled` is known to
  /// decode.
  ///
  /// `boundary` is an end of a record to which plausible records lead from the start. What follows it
  /// may be leftovers, which must not make them gaps.
  ///
  /// - Complexity: O(`area.count`).
  init<S: Store>(
    _ area: Extent, of store: S, settled: Int? = nil, boundary: Int? = nil
  ) {
    guard let last = store.lastNonzero(in: area) else {
      extent = Extent(area.file, area.offset..<area.offset)
      gaps = []
      return
    }
    let tail = store.isEncrypted ? Self.cipherTail(after: last, of: store) : WrittenArea.zeroTail
    let candidate = Extent(area.file, area.offset..<min(last + 1 + tail, area.end))
    let start = max(area.offset, settled ?? area.offset)
    let from = min(start, candidate.end)
    let parts =
      boundary.flatMap { from < $0 && $0 < candidate.end ? [from..<$0, $0..<candidate.end] : nil }
      ?? [from..<candidate.end]
    let gaps = parts.flatMap { store.gaps(in: Extent(area.file, $0)) }
    var end = last + 1
    // Only a record after the last damage can end after the last byte that is not zero.
    let readStart = gaps.last { $0.extent.offset <= last }?.extent.end ?? candidate.offset
    let rest = Extent(area.file, readStart..<candidate.end)
    let later = gaps.filter { $0.extent.offset >= readStart }
    store.forEachRecord(in: rest, scan: .plain, around: later) { event in
      if case .record(let record) = event { end = max(end, record.extent.end) }
    }
    let written = area.offset..<end
    extent = Extent(area.file, written)
    self.gaps = gaps.compactMap { gap in
      let there = gap.extent.range.clamped(to: written)
      return there.isEmpty ? nil : Gap(Extent(area.file, there), gap.cause)
    }
  }

  /// Returns the number of zeros after the byte at `last` with which an encrypted log ends, by a
  /// recorded length.
  ///
  /// They are rare and do not decrypt to zeros: without that length, they do not count.
  private static func cipherTail<S: Store>(after last: Int, of store: S) -> Int {
    store.lengthClaims.compactMap { $0.log.map { $0.end - last - 1 } }
      .first { 1...2 ~= $0 } ?? 0
  }
}
