import KVBytes
package import KVModel
import KVSystem
package import SystemPackage

/// BillyWei01's FastKV for Android: two copies of a log (`.kva`, `.kvb`) or one (`.kvc`), each with
/// a checksum, and a folder of files that hold one value each.
///
/// ```swift
/// let format = AndroidFastKVFormat()
/// let store = format.open(try format.discover(at: "evidence/settings.kva"))
/// ```
package struct AndroidFastKVFormat: StoreFormat {
  /// The format's name, as `--format` takes it.
  package static let name = "fastkv-android"

  /// The keys for the demo app's cipher.
  private let keys: KeyRing
  /// How the app opens the store, or `nil` to infer it from the files that exist.
  let mode: AndroidOpeningMode?

  /// Creates the format with one key for the demo app's cipher; an empty key counts as none.
  package init(key: [UInt8]? = nil, mode: AndroidOpeningMode? = nil) {
    self.init(keys: KeyRing(key), mode: mode)
  }

  /// Creates the format with the keys for the demo app's cipher.
  package init(keys: KeyRing, mode: AndroidOpeningMode? = nil) {
    self.keys = keys
    self.mode = mode
  }

  /// Finds the files of the store at `path`.
  ///
  /// The path may name one of the copies, one of the external files, the folder of external files,
  /// or a folder that holds exactly one store.
  ///
  /// A file with any other name may be a renamed copy. It is read as a `.kva`, or as a `.kvc` if
  /// the file ends where its log ends.
  ///
  /// - Throws: If there is no store or more than one, or if a file cannot be read.
  package func discover(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> [StoreFile] {
    let base = try base(at: path, source)
    let copies = AndroidFileNames.suffixes.map { base.appending(suffix: $0.suffix) }
    let folder = source.folder(of: base, named: path)
    func file(_ role: FileRole, at path: FilePath) -> StoreFile? {
      guard source.isTaken(path) else { return nil }
      if source.isFolder(path) {
        // The engine cannot create the copy if a folder has its name.
        return role == .external
          ? nil : StoreFile(role, at: path, unreadFor: .notRegular(path: path, kind: "a folder"))
      }
      return source.file(role, at: path, in: folder)
    }
    var files: [StoreFile] = []
    for ((_, role), copy) in zip(AndroidFileNames.suffixes, copies) {
      if let file = file(role, at: copy) { files.append(file) }
    }
    // The engine looks at a .kvc and nothing else; see `AndroidJudgement`.
    let hasC = files.read.contains { $0.role == .copyC }
    let temporary = base.appending(suffix: AndroidFileNames.temporarySuffix)
    // A store of MMKV may have this name, and has a meta file.
    let isOther = source.isTaken(temporary.appending(suffix: AndroidFileNames.metaSuffix))
    if !isOther, let file = file(hasC ? .external : .copyC, at: temporary) { files.append(file) }
    for value in try externals(of: base, named: path, isAlone: files.isEmpty, source) {
      if let file = file(.external, at: value) { files.append(file) }
    }
    if files.isEmpty, path == base, let copy = file(.copyC, at: path) { files = [Self.role(copy)] }
    if files.isEmpty {
      throw .file(.system(operation: "read", path: path, errno: .noSuchFileOrDirectory))
    }
    // If none of the store's files can be read, report the reason.
    if files.read.isEmpty, let obstacle = files.lazy.compactMap(\.obstacle).first {
      throw .file(obstacle)
    }
    // What an interrupted encryption left behind is listed, but not read.
    return files + Self.rewrites(of: base).compactMap { file(.external, at: $0) }
  }

  /// Returns `copy`, whose name does not show its role, with the role that its contents suggest.
  ///
  /// The copies of a pair are whole pages and therefore longer than their log.
  private static func role(_ copy: StoreFile) -> StoreFile {
    let log = CopyClaim(of: copy.image, copy.role, against: copy.image).log
    return log?.end ?? 0 < copy.image.count ? copy.with(.copyA) : copy
  }

  /// Returns the paths that may name the store with `files`: that of its first file, with and
  /// without its suffix.
  private static func paths(of files: [StoreFile]) -> [FilePath] {
    guard let main = files.first?.path else { return [] }
    return [main] + AndroidFileNames.allSuffixes.compactMap { main.removing(suffix: $0) }
  }

  /// Returns the paths at which an interrupted encryption of the store at `base` leaves files.
  private static func rewrites(of base: FilePath) -> [FilePath] {
    AndroidFileNames.allSuffixes.map { suffix in
      let name = AndroidFileNames.rewritePrefix + (base.lastComponent?.string ?? "") + suffix
      return base.parent.appending(name)
    }
  }

  /// Returns how likely it is that `files` are a store.
  ///
  /// The format has no magic number, so the evidence is the names, the checksum and the records.
  package func recognize(_ files: [StoreFile]) -> Recognized<AndroidFastKVStore> {
    guard Self.areNamed(files) || Self.isWholeCopy(files) else {
      return Recognized(Recognition(0, because: ["neither its name nor a checksum fits a copy"]))
    }
    let store = open(files)
    return Recognized(recognition(of: store.judged(), files), store)
  }

  /// Returns whether the files have names that FastKV gives.
  private static func areNamed(_ files: [StoreFile]) -> Bool {
    !files.contains { file in
      file.role != .external
        && file.path.lastComponent.flatMap { AndroidFileNames.stem(of: $0.string) } == nil
    }
  }

  /// Returns whether the first file has a nonempty log with a matching checksum.
  private static func isWholeCopy(_ files: [StoreFile]) -> Bool {
    guard let file = files.read.first else { return false }
    let claim = CopyClaim(of: file.image, file.role, against: file.image)
    return claim.isVerified && claim.log?.count ?? 0 > 0
  }

  private func recognition(of store: AndroidFastKVStore, _ files: [StoreFile]) -> Recognition {
    let count = files.read.count { $0.role != .external }
    // MMKV uses such names too, and has a .crc file beside them.
    guard count > 0 else { return Recognition(15, because: ["files with names of 32 digits"]) }
    let name = "the file names are those of FastKV for Android"
    guard let primary = store.primary else { return Recognition(5, because: [name]) }
    let isNamed = Self.areNamed(files)
    if primary.isTaken, let count = primary.survey?.recordCount, count > 0 {
      return Recognition(
        97, because: (isNamed ? [name] : []) + ["the checksum matches and records decode"])
    }
    guard isNamed else { return Recognition(0, because: ["the checksum matches only by chance"]) }
    // The unused capacity after the log is no evidence.
    let end = primary.decoded.stored.lastNonzero(in: primary.area.range).map { $0 + 1 }
    let written = Extent(
      primary.file.role, primary.area.offset..<(end ?? primary.area.offset))
    let isTemporary = files.allSatisfy { $0.path.extension == "tmp" }
    if primary.isVerified, written.count > 0 || !isTemporary {
      return Recognition(75, because: [name, "the checksum matches"])
    }
    if isTemporary {
      let image = primary.file.image
      let isWithin = CopyClaim(of: image, primary.file.role, against: image).log != nil
      return recognition(ofTemporary: written, isWithin, in: store, because: name)
    }
    let gaps = store.gaps(in: written).reduce(0) { $0 + $1.extent.count }
    return gaps < written.count / 2
      ? Recognition(70, because: [name, "records decode"]) : Recognition(30, because: [name])
  }

  /// The least number of records in a row that no other file begins with by chance.
  private static let chainCount = 4

  /// Judges a file with a name that many programs give to unfinished files, by the bytes `written`
  /// and by whether the length in its header is within the file.
  ///
  /// A write that was torn ends inside a record.
  private func recognition(
    ofTemporary written: Extent, _ isWithin: Bool, in store: AndroidFastKVStore,
    because name: String
  ) -> Recognition {
    let gaps = store.gaps(in: written)
    let count = store.records(in: written, scan: .plain, around: gaps).count {
      if case .record = $0 { true } else { false }
    }
    let isTorn = gaps.first.map { $0.extent.range.upperBound >= written.range.upperBound } ?? false
    let isLog =
      !store.isEncrypted
      && (gaps.isEmpty && isWithin
        ? count > 0 : (gaps.isEmpty || isTorn) && count >= Self.chainCount)
    return Recognition(
      isLog ? 70 : 1,
      because: [name + ", and of unfinished files"] + (isLog ? ["records decode"] : []))
  }

  /// Returns the store in `files`, as found.
  package func open(_ files: [StoreFile]) -> AndroidFastKVStore {
    let choice = keys.choice(for: Self.paths(of: files))
    return AndroidFastKVStore(
      files, cipher: choice.key.flatMap { DemoCipher(key: $0) }, choice: choice,
      mode: mode)
  }

  /// Returns the files of a new store with `contents`; see ``AndroidWriter``.
  ///
  /// - Throws: `.noCipher`, `.tooLarge`, or `.unreadableEntry`.
  package func encode(
    _ contents: StoreContents, like store: AndroidFastKVStore, cipher: CipherChoice = .keep
  ) throws(EncodingError) -> [EncodedFile] {
    let chosen: DemoCipher?
    switch cipher {
    case .keep:
      chosen = store.isEncrypted ? store.cipher : nil
      if store.isEncrypted, chosen == nil { throw .noCipher }
    case .plain: chosen = nil
    case .rekey(let key, _):
      guard let demo = DemoCipher(key: key) else { throw .noCipher }
      chosen = demo
    }
    return try AndroidWriter(like: store, cipher: chosen).files(
      AndroidWriter.entries(contents, of: store))
  }

  // MARK: Finding files

  /// Returns the path of the store's copies, without a suffix.
  private func base(
    at path: FilePath, _ source: any FileSource
  ) throws(DiscoveryError) -> FilePath {
    let name = path.lastComponent?.string ?? ""
    let folder = path.parent
    if source.isFolder(path) {
      let names = try names(in: path, source)
      let stems = AndroidFileNames.stems(among: names)
      if stems.count > 1 { throw .severalStores(in: path, names: stems) }
      if let stem = stems.first { return path.appending(stem) }
      guard names.contains(where: AndroidFileNames.isExternal) else {
        throw .noStore(in: path, format: AndroidFastKVFormat.name)
      }
      return path
    }
    if AndroidFileNames.isExternal(name) { return folder }
    for suffix in AndroidFileNames.allSuffixes where name != suffix {
      if let base = path.removing(suffix: suffix) { return base }
    }
    return path
  }

  /// Returns the paths of the external files of the store at `base`, which has no copy if `isAlone`.
  ///
  /// Many caches give their files such names too. So without a copy, the files are those of a store
  /// only if the user did not name one of them, none is an image or other media, and one is long
  /// enough.
  private func externals(
    of base: FilePath, named path: FilePath, isAlone: Bool, _ source: any FileSource
  ) throws(DiscoveryError) -> [FilePath] {
    guard source.isFolder(base) else { return [] }
    let isValue = AndroidFileNames.isExternal(path.lastComponent?.string ?? "")
    if isAlone, isValue, !source.isFolder(path) { return [] }
    let paths = try names(in: base, source).filter(AndroidFileNames.isExternal)
      .map { base.appending($0) }
    guard isAlone else { return paths }
    var isLong = false
    for value in paths {
      guard let head = try? source.head(of: value, count: ExternalName.leastByteCount) else {
        continue
      }
      if ForeignFile.isMedia(head) { return [] }
      isLong = isLong || head.count == ExternalName.leastByteCount
    }
    return isLong ? paths : []
  }

  private func names(
    in folder: FilePath, _ source: any FileSource
  ) throws(DiscoveryError) -> [String] {
    try source.allNames(in: folder).map(\.string)
  }
}
