import KVBytes
import KVModel
import SystemPackage

/// A store's files, with either the `.kvc` or the `.tmp` as copy C.
///
/// The engine never looks at a `.tmp` beside a `.kvc`. If the `.kvc` is damaged and the `.tmp` is
/// intact, the entries are in the `.tmp`. The two then change places here; `engineCopies` keeps the
/// `.kvc`. If both are intact, the `.tmp` is the newer one, as it was complete and had only to be
/// renamed; the `.kvc` is read nevertheless, as the engine does.
struct AndroidFileSet {
  /// The files: copies A, B and C, then all others.
  let files: [StoreFile]
  /// The copies to read.
  private(set) var copies: [AndroidCopy]
  /// The copies that the engine sees.
  let engineCopies: [AndroidCopy]
  /// Whether copy C is a `.tmp` that the engine ignores in favor of a damaged `.kvc`.
  private(set) var isTemporaryInPlaceOfC = false
  /// The intact `.tmp` beside an intact `.kvc` with other contents; `nil` if there is none.
  private(set) var newerThanC: AndroidCopy?

  init(_ files: [StoreFile], _ cipher: (any FastKVCipher)?) {
    copies = files.filter { $0.role != .external }.map { AndroidCopy($0, cipher) }
      .sorted { $0.file.role.number < $1.file.role.number }
    engineCopies = copies
    var others = files.filter { $0.role == .external }
    let stem = copies.last?.file.path.lastComponent.flatMap { AndroidFileNames.stem(of: $0.string) }
    let temporaryName = (stem ?? "") + AndroidFileNames.temporarySuffix
    if let index = copies.firstIndex(where: { !$0.isOfPair }),
      let temporary = others.firstIndex(where: { $0.path.lastComponent?.string == temporaryName })
    {
      let last = copies[index]
      let spare = AndroidCopy(others[temporary].with(.copyC), cipher)
      let isBad = !last.isTaken || last.isBlankByDamage
      if isBad, spare.isTaken, spare.judgement.recordCount ?? 0 > 0 {
        copies[index] = spare
        others.remove(at: temporary)
        others.insert(last.file.with(.external), at: 0)
        isTemporaryInPlaceOfC = true
      } else if !isBad, spare.isTaken, CopyRelation(of: last, to: spare) != .same {
        newerThanC = spare
      }
    }
    self.files = copies.map(\.file) + others
  }
}
