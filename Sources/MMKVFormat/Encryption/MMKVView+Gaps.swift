import KVBytes
import KVCryptography
import KVModel

extension MMKVView {
  /// Returns the bytes of an extent of the data file that must be left out for the rest to decode.
  func gaps(in extent: Extent) -> [Gap] { gaps(in: extent.range, knownExpiry) }

  /// Returns the same for values that end in an expiry time as `expiry` says.
  ///
  /// The first block is left out as a whole if the vector is likelier damaged than not; if no file
  /// has one, unless all of the block decodes. Its last byte can be the length of what follows by
  /// accident, with odds of 1 in 256, so that the end of a key looks like a key.
  func gaps(in range: Range<Int>, _ expiry: Plausibility.Expiry) -> [Gap] {
    let resynchronizer = Resynchronizer(plain, expiry: expiry)
    let gaps = resynchronizer.gaps(in: range)
    guard key != nil else { return gaps }
    let start = min(DataHeader.byteCount, dataCount)
    let log = lengthClaims.first?.log.flatMap { $0.count > 0 ? $0.range : nil } ?? start..<dataCount
    let block = log.prefix(Cryptography.blockCount).clamped(to: range)
    let bits = FirstBlock.bits(of: log, in: plain, by: meta.writer)
    let isNoise =
      statesVector
      ? bits.map { $0 < FirstBlock.vectorPrior } ?? (verifiedLog != nil)
      : bits ?? 0 < NoiseOdds.leastBits
        || gaps.contains { $0.extent.offset < block.upperBound }
    guard !block.isEmpty, isNoise else { return gaps }
    let cause = gaps.first { $0.extent.offset < block.upperBound }?.cause ?? .implausible
    let leavingOut = { (end: Int, resynchronizer: Resynchronizer) in
      Self.leavingOut(
        block.lowerBound..<end, cause, resynchronizer.gaps(in: end..<range.upperBound))
    }
    // What was decoded from noise can still end where a record does: the way that reads more is right.
    let ends = [block.upperBound, FirstBlock.end(in: log, of: plain)].compactMap(\.self)
    let ways = ends.filter { $0 <= range.upperBound }.map { leavingOut($0, resynchronizer) }
    let counts = ways.map { recordCount(in: range, around: $0) }
    let most = counts.max() ?? 0
    let best = ways[counts.firstIndex(of: most) ?? 0]
    // If more has to be left out, the log may be that of an app with unusual keys.
    guard best.count > 1 || most == 0,
      let rest = FirstBlock.rest(of: log, in: plain, by: meta.writer),
      rest.start <= range.upperBound
    else { return best }
    let other = leavingOut(rest.start, Resynchronizer(plain, expiry: expiry, hasBinaryKeys: true))
    return recordCount(in: range, around: other) > most ? other : best
  }

  /// Returns `gaps`, which begin after `block`, and before them one of what is left out with it:
  /// also the rest of a record that begins in it.
  private static func leavingOut(
    _ block: Range<Int>, _ cause: Gap.Cause, _ gaps: [Gap]
  ) -> [Gap] {
    guard let first = gaps.first, first.extent.offset == block.upperBound else {
      return [Gap(Extent(.data, block), cause)] + gaps
    }
    return [Gap(Extent(.data, block.lowerBound..<first.extent.end), cause)] + gaps.dropFirst()
  }

  /// Returns the number of records in `range` around `gaps`.
  private func recordCount(in range: Range<Int>, around gaps: [Gap]) -> Int {
    MMKVRecords(plain, in: range, mode: .plain, isEncrypted: true, gaps: gaps).reduce(0) {
      if case .record = $1 { $0 + 1 } else { $0 }
    }
  }
}
