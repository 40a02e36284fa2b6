import KVBytes
import KVModel

/// Merges a log from two copies that are damaged at different places.
///
/// Where the copies differ, one of the two is right. The choice with which the lanes match is
/// accepted if it is the only one: the checksum has 64 bits, and there are few choices. The units
/// of the choice are single bytes; if too many bytes differ, runs of them; if there are too many
/// runs, pages.
///
/// This assumes that no part is damaged in both copies, and that one of the headers is right.
struct CopyMerge {
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
    let ceiling = isCoarse ? AndroidPriors.coarseBits : 64
    return Correction(
      patches.edits(of: role), by: CopyVote.self, verifying: extent(header),
      min(
        CoincidenceOdds(checksumBits: 64, candidates: Double(candidates)),
        CoincidenceOdds(checksumBits: ceiling, candidates: 1)),
      reason:
        "neither copy's checksum matches; taking \(patches.count.grouped) bytes from the other copy, at "
        + "\(patches.places), makes this one match")
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
      ?? parts(in: log) { $1 - $0 <= AndroidPriors.runGap }
      ?? parts(in: log) { $0 / AndroidPriors.page == $1 / AndroidPriors.page }
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
        guard parts.count < AndroidPriors.mostParts else { return nil }
        parts.append(offset..<offset + 1)
      }
    }
    return parts
  }
}
