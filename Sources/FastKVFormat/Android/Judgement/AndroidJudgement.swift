import KVBytes
import KVModel
import SystemPackage

/// What is believed about the files of a store: which copy is read, where its log ends, and how the
/// copies relate to each other.
///
/// The engine never looks at a `.tmp` beside a `.kvc`. If the `.kvc` is damaged and the `.tmp` is
/// intact, the entries are in the `.tmp`, and the two change places.
struct AndroidJudgement: Sendable {
  /// The files: copies A, B and C, then all others.
  let files: [StoreFile]
  /// The copies that are read, in the order of the roles.
  let copies: [AndroidCopy]
  let externals: ExternalFiles
  /// Whether copy C is a `.tmp` that the engine ignores in favor of a damaged `.kvc`.
  let isTemporaryInPlaceOfC: Bool
  /// The copy that entries are read from; `nil` if there is none.
  let primary: AndroidCopy?
  let doubts: CopyDoubts
  /// The claims about where the log ends, the primary copy's first.
  let lengthClaims: [LengthClaim]
  /// The bytes after the headers, in the order of the length claims.
  let logAreas: [Extent]
  let traits: LogTraits
  let access: Access
  /// The copy that the engine takes; `nil` if it takes none, or if nothing was judged.
  private let taken: FileRole?

  /// Believes what the headers of `copies` state, in the order in which the engine looks at them.
  init(asFound copies: [AndroidCopy], _ others: [StoreFile], _ cipher: DemoCipher?) {
    let ordered = copies.filter { !$0.isOfPair } + copies.filter(\.isOfPair)
    let claims = ordered.enumerated().map { $1.headerClaim($0 == 0 ? .current : .alternate) }
    self.init(copies, others, ordered, claims, CopyDoubts(), taken: nil, cipher)
  }

  /// Weighs `found`, the copies as found, of which the engine takes the one in `file`.
  init(
    of found: [AndroidCopy], _ others: [StoreFile], takenFrom file: StoreFile?,
    _ cipher: DemoCipher?
  ) {
    var copies = found.map { $0.judged() }
    var others = others
    let isSwapped = Self.putTemporaryInPlace(&copies, &others, cipher)
    self.init(
      weighing: copies, others, taken: copies.first { $0.file == file }?.file.role, cipher,
      isSwapped: isSwapped)
  }

  /// Weighs the same copies, read with `corrections`.
  func reading(with corrections: [Correction], _ cipher: DemoCipher?) -> AndroidJudgement {
    let copies = copies.map { copy in
      let own = corrections.first { $0.changedFile == copy.file.role }
      if own == copy.corrected { return copy }
      return AndroidCopy(copy.file, cipher, corrected: own).judged()
    }
    return AndroidJudgement(
      weighing: copies, files.filter { $0.role == .external }, taken: taken, cipher,
      isSwapped: isTemporaryInPlaceOfC)
  }

  private init(
    weighing copies: [AndroidCopy], _ others: [StoreFile], taken: FileRole?,
    _ cipher: DemoCipher?, isSwapped: Bool
  ) {
    let choice = CopyChoice(copies, taken: taken)
    self.init(
      copies, others, choice.ordered, choice.lengthClaims, CopyDoubts(choice.ordered),
      taken: taken, cipher, isSwapped: isSwapped)
  }

  private init(
    _ copies: [AndroidCopy], _ others: [StoreFile], _ ordered: [AndroidCopy],
    _ lengthClaims: [LengthClaim], _ doubts: CopyDoubts, taken: FileRole?,
    _ cipher: DemoCipher?, isSwapped: Bool = false
  ) {
    files = (copies.map(\.file) + others).numbered(as: AndroidFileNames.roleNames)
    externals = ExternalFiles(files.filter { $0.role == .external })
    self.copies = copies
    self.taken = taken
    self.doubts = doubts
    self.lengthClaims = lengthClaims
    isTemporaryInPlaceOfC = isSwapped
    primary = ordered.first
    logAreas = ordered.isEmpty ? [Extent(.copyA, 0..<0)] : ordered.map(\.area)
    var traits = LogTraits()
    traits.segmentation = AndroidSegmentation.id
    if let primary {
      traits.isReplacedAsWhole = primary.file.role == .copyC
      traits.mayLackEntries = doubts.outdated[primary.file.role] != nil || primary.hasTail
    }
    self.traits = traits
    access = AndroidKeyFit(copy: primary, cipher: cipher).access
  }

  /// Reads the intact `.tmp` among `others` as copy C if the `.kvc` is damaged, and returns whether
  /// it did.
  private static func putTemporaryInPlace(
    _ copies: inout [AndroidCopy], _ others: inout [StoreFile], _ cipher: DemoCipher?
  ) -> Bool {
    guard let index = copies.firstIndex(where: { !$0.isOfPair }),
      !copies[index].isTaken || copies[index].isBlankByDamage,
      let stem = AndroidFileNames.stem(of: copies[index].name),
      let place = others.firstIndex(where: {
        $0.path.lastComponent?.string == stem + AndroidFileNames.temporarySuffix
      })
    else { return false }
    let spare = AndroidCopy(others[place].with(.copyC), cipher).judged()
    guard spare.isTaken, spare.survey?.recordCount ?? 0 > 0 else { return false }
    let damaged = copies[index].file
    copies[index] = spare
    others.remove(at: place)
    others.insert(damaged.with(.external), at: 0)
    return true
  }
}
