import KVBytes

/// A copy with bytes put right, and how that was found.
struct Correction: Sendable {
  /// A byte that was put right.
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
    /// The lanes, and a byte was missing: all behind it had moved.
    case lostByte
    /// The lanes, and there was a byte too many.
    case addedByte
  }

  /// The file with the bytes put right.
  let image: FileImage
  /// What was put right, in file order.
  let patches: [Patch]
  let source: Source
  /// Whether nothing but changes that cancel out in the checksum can be left: else the correction is
  /// the only one that fits, and rests on no proof.
  let isSure: Bool

  /// A correction that moves bytes.
  init(_ image: FileImage, at patch: Patch, by source: Source, isSure: Bool) {
    self.image = image
    patches = [patch]
    self.source = source
    self.isSure = isSure
  }

  /// `original` with `patches` applied.
  init(_ original: FileImage, _ patches: [Patch], by source: Source, isSure: Bool) {
    var bytes = original.bytes
    for patch in patches { bytes[patch.offset] ^= patch.mask }
    image = FileImage(bytes)
    self.patches = patches
    self.source = source
    self.isSure = isSure
  }
}
