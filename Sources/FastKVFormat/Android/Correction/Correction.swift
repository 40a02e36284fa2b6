import KVBytes
import KVModel

/// A copy with bytes corrected, and how that was found.
struct Correction: Sendable {
  /// A byte that was corrected.
  struct Patch: Hashable, Sendable {
    /// Where it is in the file.
    let offset: Int
    /// What was changed in it, by exclusive or.
    let mask: UInt8
  }

  /// Where the right bytes came from.
  enum Source: Hashable, Sendable {
    /// The other copy of the pair.
    case otherCopy
    /// The places from the other copy, and what was there from the lanes.
    case bothCopies
    /// The lanes of the copy's own checksum.
    case lanes
    /// The lanes, and a byte was missing: all after it had moved.
    case lostByte
    /// The lanes, and there was a byte too many.
    case addedByte
  }

  /// The file with the bytes corrected.
  let image: FileImage
  /// What was corrected, in file order.
  let patches: [Patch]
  let source: Source
  /// How unlikely it is that the correction fits by chance.
  let odds: CoincidenceOdds

  /// A correction that moves bytes.
  init(_ image: FileImage, at patch: Patch, by source: Source, _ odds: CoincidenceOdds) {
    self.image = image
    patches = [patch]
    self.source = source
    self.odds = odds
  }

  /// `original` with `patches` applied.
  init(_ original: FileImage, _ patches: [Patch], by source: Source, _ odds: CoincidenceOdds) {
    var bytes = original.bytes
    for patch in patches { bytes[patch.offset] ^= patch.mask }
    image = FileImage(bytes)
    self.patches = patches
    self.source = source
    self.odds = odds
  }
}
