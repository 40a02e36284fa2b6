import KVBytes
import KVModel

/// The length that the records support, if the stated length does not lead to the end of a record.
enum RecordEnd: LogRule {
  static let id: RuleID = "log.record-end"
  static let premise = """
    the stated length does not end after a record, or is one bit away from another field's. A \
    similar length leads to where records break off: that field's, one changed bit, or up to 16 \
    bytes more or less
    """
  static let conclusion = "the log ends there; a newer value of any key may be missing"
  static let ceiling = Evidence.structure
  static let failure = """
    if a gap happens to begin where another length leads: 1 of 30 logs of 1,000 bytes with two \
    gaps
    """

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    let store = investigation.store
    guard store.traits.isRewrittenInPlace, let lengthClaim = investigation.lengthClaim,
      let records = investigation.records
    else { return [] }
    let start = investigation.area.offset
    let others = store.lengthClaims.filter { $0.role == .alternate }
    guard
      let size = records.ends.size(
        lengthClaim, others, from: start, isWhole: investigation.isWhole),
      start + size.count >= investigation.confirmedEnd
    else { return [] }
    let log = Extent(investigation.area.file, start..<start + size.count)
    return [
      Conclusion(
        .log(log), by: Self.self, .structure,
        "\(size.count.inBytes) (\(size.message)), reading past damage"),
      Conclusion(.stale(.beginning(in: log)), by: Self.self),
    ]
  }
}

/// The ends of records in a log that is read around damage, which show whether a size is damaged.
///
/// Records follow one another without a byte between them, up to the log's end. After that end come
/// zeros, the end of the written bytes, or an older log, which is seldom in sync. So no record
/// follows directly; such an end is a *break*.
///
/// A size that leads to the end of a record is accepted. If the size does not, or differs in one
/// bit from a size in another field, other sizes are tried. The first one that leads to a break is
/// used: the size in the other field, the stated size except for a few inserted or deleted bytes,
/// or the stated size with one bit changed.
struct RecordEnds {
  /// The number of bytes by which an end can be shifted.
  private static let displacementLimit = 16
  /// The smallest number of zeros that do not belong to a record.
  private static let zeroCount = 8

  /// The ends of all records, in file order.
  private var all: [Int] = []
  /// The ends of records that are not directly followed by another record, in file order.
  private var breaks: [Int] = []
  /// The start of the first gap, if there is one.
  private(set) var firstGap: Int?
  private var isAtEnd = false

  /// Adds the next event of the log.
  @inline(__always)
  mutating func add(_ event: RecordEvent) {
    switch event {
    case .record(let record):
      all.append(record.extent.end)
      isAtEnd = true
      return
    case .gap(let gap): firstGap = firstGap ?? gap.extent.offset
    case .filler(let filler) where filler.count < Self.zeroCount: return
    case .filler: break
    }
    finish()
  }

  /// Adds the end of the log.
  mutating func finish() {
    if isAtEnd, let end = all.last { breaks.append(end) }
    isAtEnd = false
  }

  /// Returns the ends up to `offset`, and those after it.
  func divided(at offset: Int) -> (ArraySlice<Int>, ArraySlice<Int>) {
    let index = all.partitioningIndex { $0 > offset }
    return (all[..<index], all[index...])
  }

  /// Returns whether a record ends at `offset`.
  func contains(_ offset: Int) -> Bool { Self.contains(all, offset) }

  /// A size of the log, and a description of where it comes from.
  struct Size {
    let count: Int
    let message: String
  }

  /// Returns the size that the records support; `nil` if the size that `current` states leads to
  /// the end of a record, or no other size is supported.
  ///
  /// `alternates` are the claims of other fields, and the log begins at `start`. `isWhole` is whether
  /// plausible records lead to the end that `current` states, whatever follows it.
  func size(
    _ current: LengthClaim, _ alternates: [LengthClaim], from start: Int, isWhole: Bool
  ) -> Size? {
    func isBreak(_ size: Size) -> Bool { Self.contains(breaks, start + size.count) }
    func exact(_ size: Size) -> Size {
      Size(count: size.count, message: "\(size.message); a record ends there")
    }
    let stated = Size(count: current.count, message: current.origin)
    if isBreak(stated) { return nil }
    let others = alternates.filter { $0.count > 0 }
      .map { Size(count: $0.count, message: $0.origin) }
    // One of the two has changed in one bit since they were stored together, or was lost.
    if let twin = others.first(where: {
      stated.count == 0 || ($0.count ^ stated.count).nonzeroBitCount == 1
    }), isBreak(twin) {
      return exact(twin)
    }
    if isWhole || contains(start + stated.count) { return nil }
    let flipped = (0..<UInt32.bitWidth).map {
      Size(count: stated.count ^ 1 << $0, message: "\(stated.message) with one bit flipped")
    }.filter { stated.count > 0 && $0.count > 0 }
    return displaced(stated, from: start)
      ?? flipped.last(where: isBreak).map(exact)
      ?? (others + flipped).lazy.compactMap { displaced($0, from: start) }.first
  }

  /// Returns the size that leads to a break near the end of `size`; `nil` if there is no such break.
  private func displaced(_ size: Size, from start: Int) -> Size? {
    guard size.count > 0, let end = nearBreak(start + size.count) else { return nil }
    let displacement = end - start - size.count
    return Size(
      count: end - start,
      message: "\(size.message), with \(abs(displacement).inBytes) "
        + (displacement > 0 ? "inserted into the log" : "deleted from the log"))
  }

  /// Returns the break after the first gap that is nearest to `offset`; `nil` if all are too far
  /// away.
  private func nearBreak(_ offset: Int) -> Int? {
    guard let firstGap else { return nil }
    let near = breaks.filter { $0 > firstGap && abs($0 - offset) <= Self.displacementLimit }
    return near.min { abs($0 - offset) < abs($1 - offset) }
  }

  private static func contains(_ sorted: [Int], _ offset: Int) -> Bool {
    let index = sorted.partitioningIndex { $0 >= offset }
    return index < sorted.count && sorted[index] == offset
  }
}
