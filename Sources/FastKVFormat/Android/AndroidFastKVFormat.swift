import KVBytes
package import KVModel
import KVSystem
package import SystemPackage

/// BillyWei01's FastKV for Android: two copies of a log (`.kva`, `.kvb`) or one (`.kvc`), with a
/// checksum in each, and a folder of files that hold one value each.
///
/// ```swift
/// let format = AndroidFastKVFormat()
/// let store = format.open(try format.discover(at: "evidence/settings.kva"))
/// ```
package struct AndroidFastKVFormat: StoreFormat {
  /// The format's name, as `--format` takes it.
  package static let name = "fastkv-android"

  /// The cipher that encrypted stores are opened with; `nil` for that of the demo app.
  private let cipher: (any FastKVCipher)?
  /// The keys of that cipher.
  private let keys: KeyRing
  /// How the app opens the store; `nil` to tell it from the files that exist.
  package let mode: AndroidOpeningMode?

  /// The format, with the key of the demo app's cipher if the stores have one; an empty key is none.
  package init(key: [UInt8]? = nil, mode: AndroidOpeningMode? = nil) {
    self.init(keys: KeyRing(key), mode: mode)
  }

  /// The format, with the keys of the demo app's cipher.
  package init(keys: KeyRing, mode: AndroidOpeningMode? = nil) {
    cipher = nil
    self.keys = keys
    self.mode = mode
  }

  /// The format, with a cipher of the app's own.
  package init(cipher: any FastKVCipher, mode: AndroidOpeningMode? = nil) {
    self.cipher = cipher
    keys = KeyRing()
    self.mode = mode
  }

  /// Finds the files of the store at `path`: one of its copies, one of its external files or the folder
  /// of those, or a folder that holds one store.
  ///
  /// A file of any other name may be a copy that somebody has renamed, and is read as a `.kva`, or as a
  /// `.kvc` where it is no longer than its log.
  ///
  /// - Throws: When there is no store there or more than one, or a file cannot be read.
  package func discover(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> [StoreFile] {
    let base = try base(at: path, source)
    let copies = AndroidFileNames.suffixes.map { base.appending(suffix: $0.suffix) }
    let folder = source.folder(of: base, named: path)
    func file(_ role: FileRole, at path: FilePath) -> StoreFile? {
      guard source.isTaken(path) else { return nil }
      if source.isFolder(path) {
        // The engine cannot make the copy anew where a folder has its name.
        return role == .external
          ? nil : StoreFile(role, at: path, unreadFor: .notRegular(path: path, kind: "a folder"))
      }
      return source.file(role, at: path, in: folder)
    }
    var files: [StoreFile] = []
    for ((_, role), copy) in zip(AndroidFileNames.suffixes, copies) {
      if let file = file(role, at: copy) { files.append(file) }
    }
    // A .kvc is all that the engine looks at; see `AndroidFileSet`.
    let hasC = files.read.contains { $0.role == .copyC }
    let temporary = base.appending(suffix: AndroidFileNames.temporarySuffix)
    if let file = file(hasC ? .external : .copyC, at: temporary) { files.append(file) }
    if source.isFolder(base) {
      for name in try names(in: base, source) where AndroidFileNames.isExternal(name) {
        if let file = file(.external, at: base.appending(name)) { files.append(file) }
      }
    }
    if files.isEmpty, path == base, let copy = file(.copyC, at: path) { files = [Self.role(copy)] }
    if files.isEmpty {
      throw .file(.system(operation: "read", path: path, errno: .noSuchFileOrDirectory))
    }
    // Of a store none of whose files can be read, there is nothing to say but why.
    if files.read.isEmpty, let obstacle = files.lazy.compactMap(\.obstacle).first {
      throw .file(obstacle)
    }
    // What a rewrite under a cipher left is not read, but said.
    return files + Self.rewrites(of: base).compactMap { file(.external, at: $0) }
  }

  /// `copy`, whose name does not tell, as the one that it seems to be: those of a pair have whole pages, and
  /// more in them than their log.
  private static func role(_ copy: StoreFile) -> StoreFile {
    let log = CopyClaim(of: copy.image, copy.role, against: copy.image).log
    return log?.end ?? 0 < copy.image.count ? copy.with(.copyA) : copy
  }

  /// The paths that name the store with `files`: of its first file, and that without its suffix.
  private static func paths(of files: [StoreFile]) -> [FilePath] {
    guard let main = files.first?.path else { return [] }
    return [main] + AndroidFileNames.allSuffixes.compactMap { main.removing(suffix: $0) }
  }

  /// Where a rewrite of the store at `base` under a cipher leaves files.
  private static func rewrites(of base: FilePath) -> [FilePath] {
    AndroidFileNames.allSuffixes.map { suffix in
      let name = AndroidFileNames.rewritePrefix + (base.lastComponent?.string ?? "") + suffix
      return base.removingLastComponent().appending(name)
    }
  }

  /// How likely `files` are a store: there is no magic, so names, checksum and records tell.
  package func recognize(_ files: [StoreFile]) -> Recognized<AndroidFastKVStore> {
    guard Self.areNamed(files) || Self.isWholeCopy(files) else {
      return Recognized(Recognition(0, because: ["no name and no checksum is that of a copy"]))
    }
    let store = open(files)
    return Recognized(recognition(of: store, files), store)
  }

  /// Whether the files have names that FastKV gives.
  private static func areNamed(_ files: [StoreFile]) -> Bool {
    !files.contains { file in
      file.role != .external
        && file.path.lastComponent.flatMap { AndroidFileNames.stem(of: $0.string) } == nil
    }
  }

  /// Whether the first file is a copy by its checksum, with something in it.
  private static func isWholeCopy(_ files: [StoreFile]) -> Bool {
    guard let file = files.read.first else { return false }
    let claim = CopyClaim(of: file.image, file.role, against: file.image)
    return claim.isVerified && claim.log?.count ?? 0 > 0
  }

  private func recognition(of store: AndroidFastKVStore, _ files: [StoreFile]) -> Recognition {
    let count = files.read.count { $0.role != .external }
    // MMKV names files so, too, and has a .crc file beside them.
    guard count > 0 else { return Recognition(15, because: ["files with names of 32 digits"]) }
    let name = "the names are those of FastKV for Android"
    guard let primary = store.primary else { return Recognition(5, because: [name]) }
    let isNamed = Self.areNamed(files)
    if primary.isTaken, let count = primary.survey?.recordCount, count > 0 {
      return Recognition(
        97, because: (isNamed ? [name] : []) + ["the checksum holds, and records decode"])
    }
    guard isNamed else { return Recognition(0, because: ["the checksum holds by chance"]) }
    if primary.isVerified { return Recognition(75, because: [name, "the checksum holds"]) }
    // The capacity after the log says nothing.
    let end = primary.decoded.stored.lastNonzero(in: primary.area.range).map { $0 + 1 }
    let written = Extent(
      primary.file.role, primary.area.offset..<(end ?? primary.area.offset))
    let gaps = store.gaps(in: written).reduce(0) { $0 + $1.extent.count }
    return gaps < written.count / 2
      ? Recognition(70, because: [name, "records decode"])
      : Recognition(30, because: [name])
  }

  /// The store of these files, as found.
  package func open(_ files: [StoreFile]) -> AndroidFastKVStore {
    let choice = keys.choice(for: Self.paths(of: files))
    return AndroidFastKVStore(
      files, cipher: cipher ?? choice.key.flatMap { DemoCipher(key: $0) }, choice: choice,
      mode: mode)
  }

  /// The files of a new store with `contents`; see ``AndroidWriter``.
  ///
  /// - Throws: `.noCipher`, `.tooLarge`, `.unreadableEntry`.
  package func encode(
    _ contents: StoreContents, like store: AndroidFastKVStore, cipher: CipherChoice = .keep
  ) throws(EncodingError) -> [EncodedFile] {
    let chosen: (any FastKVCipher)?
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

  /// The path of the store's copies, without their suffixes.
  private func base(
    at path: FilePath, _ source: any FileSource
  ) throws(DiscoveryError) -> FilePath {
    let name = path.lastComponent?.string ?? ""
    let folder = path.removingLastComponent()
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

  private func names(
    in folder: FilePath, _ source: any FileSource
  ) throws(DiscoveryError) -> [String] {
    try source.allNames(in: folder).map(\.string)
  }
}
