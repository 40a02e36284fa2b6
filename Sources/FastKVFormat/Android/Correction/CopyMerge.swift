import KVBytes
import KVModel

/// Merges a log from two copies that are damaged at different places.
///
/// Where the copies differ, one of the two is right. The choice with which the lanes match is
/// accepted if it is the only one: the checksum has 64 bits, and there are few choices. The units
/// of the choice are single bytes or, if too many bytes differ, runs of them.
///
/// This assumes that no part is damaged in both copies, and that one of the headers is right.
struct CopyMerge {
  /// The most parts that may differ, as every choice is tried.
  private static let partLimit = 12
  /// The most equal bytes between two differing ones for both to be in the same run.
  private static let runGap = 16
  /// The most evidence, in bits, of a choice among runs.
  ///
  /// They contain bytes that may well be undamaged, and with them come changes that cancel out in
  /// the lanes.
  private static let coarseBits = 6
  /// The most evidence, in bits, of a choice under one of two checksums that differ in
  /// ``twoStateBytes`` bytes or more.
  ///
  /// The copies are then of two states, and the one that matches may be the older.
  private static let twoStateBits = 6
  private static let twoStateBytes = 3

  private let role: FileRole
  private let first: FileImage
  private let second: FileImage
  private let headers: [AndroidHeader]

  /// Returns the correction that merges the two copies; `nil` if no choice fits, or more than one.
  static func correction(of a: AndroidCopy, by b: AndroidCopy) -> Correction? {
    let merge = CopyMerge(
      role: a.file.role, first: a.file.image, second: b.file.image,
      headers: a.header == b.header ? [a.header] : [a.header, b.header])
    return merge.correction
  }

  private var correction: Correction? {
    var found: [(header: AndroidHeader, parts: [Range<Int>])] = []
    var candidates = 0
    for header in headers {
      let parts = parts(header)
      candidates += 1 << (parts?.count ?? 0)
      for chosen in choices(header, parts) {
        found.append((header, chosen))
        if found.count > 1 { return nil }
      }
    }
    guard let (header, chosen) = found.first else { return nil }
    var patches: [BytePatch] = []
    for (offset, byte) in header.bytes.enumerated() where first[offset] != byte {
      patches.append(BytePatch(offset: offset, mask: first[offset] ^ byte))
    }
    for offset in chosen.joined() where first[offset] != second[offset] {
      patches.append(BytePatch(offset: offset, mask: first[offset] ^ second[offset]))
    }
    let isCoarse = chosen.contains { $0.count > 1 }
    let ceiling = areOfTwoStates ? Self.twoStateBits : isCoarse ? Self.coarseBits : 64
    return Correction(
      patches.edits(of: role), by: CopyVote.self, verifying: extent(header),
      min(
        CoincidenceOdds(checksumBits: 64, candidates: Double(candidates)),
        CoincidenceOdds(checksumBits: ceiling, candidates: 1)),
      reason:
        "neither copy's checksum matches; taking \(patches.count.inBytes) from the other copy, at "
        + "\(patches.places), makes this one match")
  }

  /// Whether the headers state checksums that differ too much for a few damaged bytes to explain
  /// it.
  private var areOfTwoStates: Bool {
    guard headers.count == 2 else { return false }
    let change = headers[0].checksum ^ headers[1].checksum
    return (0..<8).count { change >> UInt64(8 * $0) & 0xff != 0 } >= Self.twoStateBytes
  }

  /// Returns the choices of parts of the second copy with which the data matches `header`; two at
  /// most.
  private func choices(_ header: AndroidHeader, _ parts: [Range<Int>]?) -> [[Range<Int>]] {
    guard let parts, let log = log(header) else { return [] }
    var lanes = XORLanes()
    lanes.update(first.storageSpan, in: log)
    let syndromes = parts.map { part in
      part.reduce(UInt64(0)) { $0 ^ UInt64(first[$1] ^ second[$1]) << UInt64($1 % 8 * 8) }
    }
    var found: [[Range<Int>]] = []
    for choice in 0..<1 << parts.count {
      var value = lanes.value
      for index in parts.indices where choice >> index & 1 == 1 { value ^= syndromes[index] }
      guard value == header.checksum else { continue }
      found.append(parts.indices.filter { choice >> $0 & 1 == 1 }.map { parts[$0] })
      if found.count > 1 { break }
    }
    return found
  }

  private func extent(_ header: AndroidHeader) -> Extent? {
    log(header).map { Extent(role, $0) }
  }

  private func log(_ header: AndroidHeader) -> Range<Int>? {
    guard let count = header.count, count > 0,
      count <= min(first.count, second.count) - AndroidHeader.byteCount
    else { return nil }
    return AndroidHeader.byteCount..<AndroidHeader.byteCount + count
  }

  /// Returns where the data differs, in parts as fine as can be tried; `nil` if there are too many.
  private func parts(_ header: AndroidHeader) -> [Range<Int>]? {
    guard let log = log(header) else { return nil }
    return parts(in: log) { _, _ in false }
      ?? parts(in: log) { $1 - $0 <= CopyMerge.runGap }
  }

  /// Returns where the data differs.
  ///
  /// An offset is joined to the previous part if `joins` says so.
  private func parts(
    in log: Range<Int>, joining joins: (Int, Int) -> Bool
  ) -> [Range<Int>]? {
    var parts: [Range<Int>] = []
    for offset in log where first[offset] != second[offset] {
      if let last = parts.last, joins(last.upperBound - 1, offset) {
        parts[parts.count - 1] = last.lowerBound..<offset + 1
      } else {
        guard parts.count < CopyMerge.partLimit else { return nil }
        parts.append(offset..<offset + 1)
      }
    }
    return parts
  }
}
