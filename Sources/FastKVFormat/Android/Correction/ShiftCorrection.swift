import KVBytes
import KVModel

/// Corrects a copy in which one byte was deleted or inserted.
///
/// All bytes after such a place are in the lane next to their own. So the original lanes can be
/// computed for each place, in one pass over the log. If a byte was inserted, all eight lanes must
/// match; if one was deleted, seven must match, and the eighth gives the byte.
///
/// A log that already decodes is left alone. This assumes that the length is right and nothing else
/// is damaged. A wrong place fits with a probability of 1 in 2⁵⁶ for each byte of the log, or more
/// for places close to its end. If two different places fit, neither is accepted.
struct ShiftCorrection {
  private let image: FileImage
  private let log: Range<Int>
  private let stored: UInt64
  /// Whether a byte was deleted, rather than inserted.
  private let isLost: Bool

  /// Returns the correction of `copy`; `nil` if no place fits.
  ///
  /// - Complexity: O(count of the log).
  static func correction(of copy: AndroidCopy) -> Correction? {
    guard let claim = copy.mismatch, case let log = claim.covered.range,
      !decodes(copy.file.image.bytes, log, copy.test)
    else { return nil }
    for isLost in [true, false] where isLost || log.upperBound < copy.file.image.count {
      let search = ShiftCorrection(
        image: copy.file.image, log: log, stored: claim.stored, isLost: isLost)
      if let place = search.place() { return search.correction(of: copy, claim.covered, at: place) }
    }
    return nil
  }

  /// Returns whether each record of `log` in `bytes` is plausible.
  private static func decodes(_ bytes: [UInt8], _ log: Range<Int>, _ test: RecordTest) -> Bool {
    var trial = LogTrial(bytes, log, test, budget: 64 * log.count)
    return trial.decodes()
  }

  /// Returns the correction at `place`, if the log `extent` decodes with it.
  private func correction(
    of copy: AndroidCopy, _ extent: Extent, at place: BytePatch
  ) -> Correction? {
    var bytes = image.bytes
    if isLost {
      bytes.insert(place.mask, at: place.offset)
      bytes.removeLast()
    } else {
      bytes.remove(at: place.offset)
      bytes.append(0)
    }
    guard Self.decodes(bytes, log, copy.test) else { return nil }
    // Seven lanes give the place of a lost byte, and the eighth gives the byte. Only the lanes of the
    // bytes after it count, which move.
    var odds = CoincidenceOdds(
      checksumBits: 8 * min(isLost ? 7 : 8, log.upperBound - place.offset),
      candidates: Double(log.count))
    if isLost {
      odds = min(odds, CoincidenceOdds(checksumBits: AndroidPriors.laneBits, candidates: 1))
    }
    let (byte, offset) = (
      Hexadecimal.text(place.mask, digits: 2), Hexadecimal.text(place.offset, digits: 2)
    )
    return Correction(
      [
        isLost
          ? .insertion(of: place.mask, copy.file.role, at: place.offset)
          : .removal(of: place.mask, copy.file.role, at: place.offset)
      ], by: LaneChange.self, verifying: extent, odds, rivalry: copy.rivalry,
      reason: isLost
        ? "the checksum lanes match if the byte \(byte) is inserted at \(offset) and all later "
          + "bytes move up"
        : "the checksum lanes match if the byte at \(offset) (\(byte)) is deleted and all later "
          + "bytes move down")
  }

  /// Returns the only place at which inserting or deleting a byte makes the lanes match, and the byte.
  private func place() -> BytePatch? {
    // The bytes that follow the place move by one.
    let moved = isLost ? log.dropLast() : log.lowerBound + 1..<log.upperBound + 1
    let shift = isLost ? 1 : -1
    var after = moved.reduce(UInt64(0)) { $0 ^ lane(image[$1], $1 + shift) }
    var before: UInt64 = 0
    var found: BytePatch?
    for offset in log {
      let bits = UInt64(offset % 8 * 8)
      let rest = stored ^ before ^ after
      let byte = isLost ? UInt8(truncatingIfNeeded: rest >> bits) : image[offset]
      if isLost ? rest & ~(0xff << bits) == 0 : rest == 0 {
        // A byte before or after an equal one has the same result.
        if let found, found.mask != byte || !isRun(of: byte, in: found.offset..<offset) {
          return nil
        }
        found = found ?? BytePatch(offset: offset, mask: byte)
      }
      before ^= lane(image[offset], offset)
      let next = isLost ? offset : offset + 1
      if moved.contains(next) { after ^= lane(image[next], next + shift) }
    }
    return found
  }

  private func isRun(of byte: UInt8, in range: Range<Int>) -> Bool {
    range.allSatisfy { image[$0] == byte }
  }

  private func lane(_ byte: UInt8, _ offset: Int) -> UInt64 {
    UInt64(byte) << UInt64(offset % 8 * 8)
  }
}
