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

  /// Relates `copies` to each other, of which the engine takes `taken`.
  init(_ copies: [AndroidCopy], taken: FileRole?, _ cipher: (any FastKVCipher)?) {
    self.copies = copies
    let choice = CopyChoice(copies, taken: taken)
    primary = choice.primary
    doubts = CopyDoubts(choice.ordered)
    lengthClaims = choice.lengthClaims
    logAreas =
      choice.ordered.isEmpty ? [Extent(.copyA, 0..<0)] : choice.ordered.map(\.area)
    var traits = LogTraits()
    traits.segmentation = AndroidSegmentation.id
    if let primary {
      traits.mayLackEntries = doubts.outdated[primary.file.role] != nil || primary.hasTail
    }
    self.traits = traits
    access = AndroidKeyFit(copy: choice.primary, cipher: cipher).access
  }
}
