import KVModel

/// The copies of a store, as found or corrected, and how they relate to each other.
struct ReadCopies: Sendable {
  /// The copies, in the order of the roles.
  let copies: [AndroidCopy]
  /// The copy that entries are read from; `nil` if there is none.
  let primary: AndroidCopy?
  let doubts: CopyDoubts
  /// What the headers say about where the log ends, the primary copy's first.
  let lengthClaims: [LengthClaim]
  /// The bytes after the headers, in the order of the length claims.
  let logAreas: [Extent]
  let traits: LogTraits
  let access: Access

  /// Relates `copies`, which have values in `externals`, to each other; the engine takes `taken`.
  ///
  /// `newerThanC` is a newer file of copy C, which is not read.
  init(
    _ copies: [AndroidCopy], taken: FileRole?, _ cipher: DemoCipher?,
    _ externals: ExternalFiles, newerThanC: AndroidCopy? = nil
  ) {
    self.copies = copies
    let choice = CopyChoice(copies, taken: taken, externals)
    primary = choice.primary
    doubts = CopyDoubts(choice.ordered, newerThanC: newerThanC)
    lengthClaims = choice.lengthClaims
    logAreas =
      choice.ordered.isEmpty ? [Extent(.copyA, 0..<0)] : choice.ordered.map(\.area)
    var traits = LogTraits()
    traits.segmentation = AndroidSegmentation.id
    if let primary {
      traits.isReplacedAsWhole = primary.file.role == .copyC
      traits.mayLackEntries = doubts.outdated[primary.file.role] != nil || primary.hasTail
    }
    self.traits = traits
    access = AndroidKeyFit(copy: choice.primary, cipher: cipher).access
  }
}
