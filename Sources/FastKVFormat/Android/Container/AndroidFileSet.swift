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
  let copies: [AndroidCopy]
  /// The copies that the engine sees.
  let engineCopies: [AndroidCopy]
  /// Whether copy C is a `.tmp` that the engine ignores in favor of a damaged `.kvc`.
  let isTemporaryInPlaceOfC: Bool
  /// The intact `.tmp` beside an intact `.kvc` with other contents; `nil` if there is none.
  let newerThanC: AndroidCopy?

  init(_ files: [StoreFile], _ cipher: DemoCipher?) {
    let copies = files.filter { $0.role != .external }.map { AndroidCopy($0, cipher) }
      .sorted { $0.file.role.number < $1.file.role.number }
    let others = files.filter { $0.role == .external }
    engineCopies = copies
    let stem = copies.last?.file.path.lastComponent.flatMap { AndroidFileNames.stem(of: $0.string) }
    let temporaryName = (stem ?? "") + AndroidFileNames.temporarySuffix
    let isTemporary = { (file: StoreFile) in
      file.path.lastComponent?.string == temporaryName
    }
    var newerThanC: AndroidCopy?
    if let index = copies.firstIndex(where: { $0.file.role == .copyC }),
      let temporary = others.first(where: isTemporary)
    {
      let spare = AndroidCopy(temporary.with(.copyC), cipher)
      let isBad = !copies[index].isTaken || copies[index].isBlankByDamage
      if !isBad, spare.isTaken, CopyRelation(of: copies[index], to: spare) != .same {
        newerThanC = spare
      }
      if isBad, spare.isTaken, spare.survey?.recordCount ?? 0 > 0 {
        let bad = copies[index].file
        var all = copies
        all[index] = spare
        self.copies = all
        self.files =
          all.map(\.file) + [bad.with(.external)]
          + others.filter { $0.path != temporary.path }
        isTemporaryInPlaceOfC = true
        self.newerThanC = nil
        return
      }
    }
    self.copies = copies
    self.files = copies.map(\.file) + others
    isTemporaryInPlaceOfC = false
    self.newerThanC = newerThanC
  }
}
