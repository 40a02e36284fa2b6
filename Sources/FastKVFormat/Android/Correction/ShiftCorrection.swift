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
enum ShiftCorrection {
  /// The longest log that is tried.
  private static let countLimit = 16 << 20

  /// Returns the correction of `copy`; `nil` if no place fits.
  ///
  /// - Complexity: O(count of the log).
  static func correction(of copy: AndroidCopy) -> Correction? {
    guard let extent = copy.log, case let log = extent.range, !log.isEmpty, log.count <= countLimit,
      let claim = copy.claim, !claim.isSatisfied, copy.corrected == nil,
      copy.decoded.isReadable
    else { return nil }
    let image = copy.file.image
    if decodes(image.bytes, log, of: copy) { return nil }
    if let place = lostPlace(image, log, claim.stored) {
      return insertion(at: place, in: copy, verifying: extent)
    }
    guard log.upperBound < image.count, let place = addedPlace(image, log, claim.stored) else {
      return nil
    }
    var bytes = image.bytes
    bytes.remove(at: place.offset)
    bytes.append(0)
    guard decodes(bytes, log, of: copy) else { return nil }
    return Correction(
      [.removal(of: place.mask, copy.file.role, at: place.offset)], by: ShiftedByte.self,
      verifying: extent, placeOdds(lanes: 8, at: place.offset, in: log), rivalry: copy.rivalry,
      reason:
        "the checksum lanes match if the byte at \(Hexadecimal.text(place.offset, digits: 2)) (\(Hexadecimal.text(place.mask, digits: 2))) is deleted and all "
        + "later bytes move down")
  }

  /// Returns the correction that inserts the byte of `place`, if the log `extent` decodes with it.
  private static func insertion(
    at place: BytePatch, in copy: AndroidCopy, verifying extent: Extent
  ) -> Correction? {
    var bytes = copy.file.image.bytes
    bytes.insert(place.mask, at: place.offset)
    bytes.removeLast()
    guard decodes(bytes, extent.range, of: copy) else { return nil }
    let byte = LaneOdds(ofByteAt: place.offset, in: bytes, extent.range, copy.test)
    // Seven lanes give the place, and the eighth gives the byte.
    let odds = min(byte.odds, placeOdds(lanes: 7, at: place.offset, in: extent.range))
    return Correction(
      [.insertion(of: place.mask, copy.file.role, at: place.offset)], by: ShiftedByte.self,
      verifying: extent, odds, rivalry: copy.rivalry,
      reason:
        "the checksum lanes match if the byte \(Hexadecimal.text(place.mask, digits: 2)) is inserted at \(Hexadecimal.text(place.offset, digits: 2)) and all later "
        + "bytes move up")
  }

  /// Returns whether each record of `log` in `bytes` is plausible.
  private static func decodes(_ bytes: [UInt8], _ log: Range<Int>, of copy: AndroidCopy) -> Bool {
    var trial = LogTrial(bytes, log, copy.test, budget: 64 * log.count)
    return trial.decodes()
  }

  /// Returns the odds of a place at which `lanes` lanes match; only the lanes of the bytes after it
  /// count, which move.
  private static func placeOdds(
    lanes: Int, at offset: Int, in log: Range<Int>
  ) -> CoincidenceOdds {
    CoincidenceOdds(
      checksumBits: 8 * min(lanes, log.upperBound - offset), candidates: Double(log.count))
  }

  /// Returns the only place at which inserting a byte makes the lanes match `stored`, and the byte.
  private static func lostPlace(
    _ image: FileImage, _ log: Range<Int>, _ stored: UInt64
  ) -> BytePatch? {
    var after: UInt64 = 0
    for offset in log.dropLast() { after ^= lane(image[offset], offset + 1) }
    var before: UInt64 = 0
    var found: BytePatch?
    for offset in log {
      let rest = stored ^ before ^ after
      let shift = UInt64(offset % 8 * 8)
      if rest & ~(0xff << shift) == 0 {
        let byte = UInt8(truncatingIfNeeded: rest >> shift)
        // Inserting a byte before an equal one or after it has the same result.
        if let found, found.mask != byte || !isRun(of: byte, image, found.offset..<offset) {
          return nil
        }
        found = found ?? BytePatch(offset: offset, mask: byte)
      }
      before ^= lane(image[offset], offset)
      if offset < log.upperBound - 1 { after ^= lane(image[offset], offset + 1) }
    }
    return found
  }

  /// Returns the only place at which removing a byte makes the lanes match `stored`, and the byte.
  private static func addedPlace(
    _ image: FileImage, _ log: Range<Int>, _ stored: UInt64
  ) -> BytePatch? {
    var after: UInt64 = 0
    for offset in log { after ^= lane(image[offset + 1], offset) }
    var before: UInt64 = 0
    var found: BytePatch?
    for offset in log {
      if before ^ after == stored {
        let byte = image[offset]
        if let found, !isRun(of: byte, image, found.offset..<offset) { return nil }
        found = found ?? BytePatch(offset: offset, mask: byte)
      }
      before ^= lane(image[offset], offset)
      after ^= lane(image[offset + 1], offset)
    }
    return found
  }

  private static func isRun(of byte: UInt8, _ image: FileImage, _ range: Range<Int>) -> Bool {
    range.allSatisfy { image[$0] == byte }
  }

  private static func lane(_ byte: UInt8, _ offset: Int) -> UInt64 {
    UInt64(byte) << UInt64(offset % 8 * 8)
  }
}
