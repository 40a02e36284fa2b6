import KVBytes
package import KVModel
import KVSystem
package import SystemPackage

/// Tencent's MMKV: a data file with an append-only log, and a `.crc` file with its size and
/// checksum.
///
/// ```swift
/// let format = MMKVFormat(now: 1_760_000_000)
/// let store = format.open(try format.discover(at: "evidence/settings"))
/// ```
package struct MMKVFormat: IdentifiedStoreFormat {
  /// The format's name, as `--format` takes it.
  package static let name = "mmkv"
  /// The size, in bytes, above which a file is not a meta file: a page has at most 64 KiB.
  static let metaLimit = 1 << 24

  /// The keys for encrypted stores.
  let keys: KeyRing
  /// Whether the keys are for AES-256; if `nil`, AES-128, or whichever size fits for keys that are
  /// tried.
  let isAES256: Bool?
  /// The time at which the engine would judge expiry, in seconds since 1970.
  package let now: UInt32

  /// The ids that a store with a hashed name may have; the one that fits is reported as a finding.
  let candidateIDs: [String]

  /// Creates the format, with the key of encrypted stores.
  package init(key: MMKVKey? = nil, now: UInt32, candidateIDs: [String] = []) {
    self.init(
      keys: KeyRing(key?.bytes), isAES256: key?.isAES256, now: now, candidateIDs: candidateIDs)
  }

  /// Creates the format, with keys of encrypted stores.
  ///
  /// If `isAES256` is `nil`, keys are for AES-128, and keys that are tried for whichever size fits.
  package init(keys: KeyRing, isAES256: Bool?, now: UInt32, candidateIDs: [String] = []) {
    self.keys = keys
    self.isAES256 = isAES256
    self.now = now
    self.candidateIDs = candidateIDs
  }

  /// Finds the two files of the store at `path` in `source`.
  ///
  /// A file whose name ends in `.crc` is a meta file unless it has a meta file of its own.
  ///
  /// - Throws: If there is no store at `path`, or more than one, or if a file cannot be read.
  package func discover(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> [StoreFile] {
    let data = source.isFolder(path) ? try onlyStore(in: path, source) : dataPath(of: path, source)
    let meta = metaPath(of: data, source)
    var files: [StoreFile] = []
    if source.isTaken(data) { files.append(try dataFile(at: data, named: path, source)) }
    if source.isTaken(meta) {
      files.append(try metaFile(at: meta, of: data, named: path, source))
    }
    if files.isEmpty {
      throw .file(
        .system(operation: "read", path: path, errno: .noSuchFileOrDirectory))
    }
    return files
  }

  /// Finds the files of the instance with one of `ids` below the folder `root`, by the engine's
  /// rules for names; the first that exists.
  ///
  /// - Throws: If there is none, or a file cannot be read.
  package func discover(
    ids: [String], below root: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> [StoreFile] {
    let candidates = ids.flatMap { FileNames.candidates(for: $0, below: root) }
    let found = candidates.first {
      source.isTaken($0) || source.isTaken($0.appending(suffix: FileNames.metaSuffix))
    }
    guard let found else { throw .noSuchID(ids, tried: candidates) }
    return try discover(at: found, in: source)
  }

  /// Returns how likely `files` are an MMKV store: MMKV has no magic number, so its checksum and
  /// records decide.
  package func recognize(_ files: [StoreFile]) -> Recognized<MMKVStore> {
    let store = open(files)
    return Recognized(recognition(of: store, files), store)
  }

  private func recognition(of store: MMKVStore, _ files: [StoreFile]) -> Recognition {
    let isReadable = store.access == .readable
    let isVerified = store.lengthClaims.first?.isVerified ?? false
    let hasMeta = store.metaFile != nil
    // Other programs' download checksums and indexes have the same extension.
    if store.dataFile == nil, let meta = store.metaFile, !MetaInfo.isPlausible(meta.image) {
      return Recognition(1, because: ["only a .crc file, and not one written by MMKV"])
    }
    switch (isVerified, isReadable) {
    case (true, true): return Recognition(95, because: ["the checksum matches and records decode"])
    case (true, false): return Recognition(80, because: ["the checksum matches"])
    case (false, true):
      if !hasMeta, let name = files.first.flatMap({ ForeignFile.name(of: $0.image) }) {
        return Recognition(1, because: ["it looks like \(name)"])
      }
      if !hasMeta, Self.hasNameOfOther(store) {
        return Recognition(25, because: ["records decode", "its name belongs to another format"])
      }
      if !hasMeta, !KeyFit(store.view).isMostlyRecords {
        return Recognition(
          8, because: ["a few records decode", "its length is unusual for a store"])
      }
      return Recognition(
        hasMeta ? 70 : 50,
        because: ["records decode"] + (hasMeta ? ["it has a .crc file"] : []))
    case (false, false):
      if isNamedByHash(files, hasMeta: hasMeta) {
        return Recognition(
          45, because: ["it is named by a hash, in a place where MMKV puts such files"])
      }
      if hasMeta { return Recognition(20, because: ["it has a .crc file"]) }
      return Recognition(
        mayBeEncrypted(store) ? 5 : 0, because: ["no checksum matches, no record decodes"])
    }
  }

  /// Returns whether the data file of `store` is named like one of FastKV.
  ///
  /// Damage to such a file can leave a few bytes before zeros, which decode as an MMKV log, as
  /// nearly anything that short does.
  private static func hasNameOfOther(_ store: MMKVStore) -> Bool {
    [".kva", ".kvb", ".kvc", ".fkv"].contains { store.dataFile?.path.removing(suffix: $0) != nil }
  }

  /// Returns whether `files` are named as the engine names a store with a hashed id.
  ///
  /// FastKV for Android has files with such names too, which no checksum covers completely. But
  /// none of them has a `.crc` file beside it, or is in MMKV's folder for such names.
  private func isNamedByHash(_ files: [StoreFile], hasMeta: Bool) -> Bool {
    let path = MMKVStore.dataPath(of: files)
    guard let name = path.lastComponent?.string, FileNames.looksHashed(name) else { return false }
    return hasMeta
      || path.parent.lastComponent?.string == FileNames.hashedFolder
  }

  /// Returns whether a key was given that does not open `store`, and its bytes could be encrypted.
  private func mayBeEncrypted(_ store: MMKVStore) -> Bool {
    guard case .unreadable(let code, _) = store.access, code != MMKVFindings.notAStore,
      let image = store.dataFile?.image
    else { return false }
    return ForeignFile.name(of: image) == nil
  }

  /// Returns what a list of stores shows of a small store without keys that needs no diagnosis.
  package func intact(at path: FilePath, in source: any FileSource) -> IntactStore? {
    let meta = path.appending(suffix: FileNames.metaSuffix)
    guard keys.isEmpty, candidateIDs.isEmpty, source.isTaken(meta),
      let data = try? source.read(path, limit: IntactLog.fileLimit),
      let metaImage = try? source.read(
        meta, in: source.folder(of: path, named: path), limit: IntactLog.fileLimit),
      source.flaw(of: path) == nil, source.flaw(of: meta) == nil,
      let log = IntactLog(data: data, meta: metaImage)
    else { return nil }
    return IntactStore(
      at: [path, meta], entryCount: log.entryCount, past: log.past, codes: log.codes)
  }

  /// Opens the store with these files as found; a key that is tried is used only if it fits.
  package func open(_ files: [StoreFile]) -> MMKVStore {
    let choice = keys.choice(for: [MMKVStore.dataPath(of: files)]) { id in
      FileNames.id(of: MMKVStore.dataPath(of: files), among: [id]) != nil
    }
    func store(_ key: MMKVKey?, isKeyUnneeded: Bool = false) -> MMKVStore {
      makeStore(files, key, choice, isKeyUnneeded: isKeyUnneeded)
    }
    guard let bytes = choice.key else {
      let plain = store(nil)
      return choice.candidates.flatMap { opened(plain, byOneOf: $0) } ?? plain
    }
    let key = MMKVKey(bytes, isAES256: isAES256 ?? false)
    let first = store(key)
    // An empty log opens with any key; the records after it say whether they need this one.
    let mayBeUnneeded = choice.isTried || KeyFit(first.view).leftoversOfEmptyLog != nil
    guard mayBeUnneeded, case .unreadable(let code, _) = first.access else { return first }
    let both = isAES256 == nil ? [first, store(key.forOtherSize)] : [first]
    if let other = both.last {
      if other.access == .readable { return other }
      // A log may be too short to tell with one size, and not decode with the other.
      if case .unreadable(MMKVFindings.keyUndetermined, _) = other.access,
        code == MMKVFindings.wrongKey
      {
        return other
      }
    }
    guard code == MMKVFindings.keyNotNeeded else { return first }
    // Plaintext records may be all that was read, while others are encrypted.
    let islands = both.map { PlaintextIslands($0.view) }
    let mixed =
      islands.firstIndex { $0.isDecrypted && !$0.ranges.isEmpty }
      ?? islands.firstIndex { !$0.ranges.isEmpty }
    return mixed.map { both[$0] } ?? store(nil, isKeyUnneeded: true)
  }

  private func makeStore(
    _ files: [StoreFile], _ key: MMKVKey?, _ choice: KeyRing.Choice, isKeyUnneeded: Bool = false
  ) -> MMKVStore {
    MMKVStore(
      data: files.first { $0.role == .data }, meta: files.first { $0.role == .meta }, key: key,
      choice: choice, isKeyUnneeded: isKeyUnneeded, now: now, candidateIDs: candidateIDs)
  }

  /// Returns `plain`, a store that was opened without a key, opened with the one of `candidates` that
  /// is its key, or with word that none is; `nil` if it needs none.
  private func opened(_ plain: MMKVStore, byOneOf candidates: KeyCandidates) -> MMKVStore? {
    guard case .unreadable(let code, _) = plain.access, let search = KeySearch(plain.view),
      MMKVFindings.aboutKeys.contains(code) || code == MMKVFindings.notAStore && search.mayBeLog
    else { return nil }
    let (hit, choice) = candidates.choice(for: search.mark) {
      search.best(among: candidates, isAES256: isAES256)
    }
    // Without its key, it is no store for all that is known.
    if choice.key == nil, code == MMKVFindings.notAStore { return nil }
    let key = hit.map { MMKVKey(candidates[$0.index], isAES256: $0.isAES256) }
    return makeStore(plain.files, key, choice)
  }

  /// Returns the files of a new store with `contents`; see ``MMKVWriter``.
  ///
  /// - Throws: `.noCipher`, `.tooLarge`, `.unreadableEntry`.
  package func encode(
    _ contents: StoreContents, like store: MMKVStore, cipher: CipherChoice = .keep
  ) throws(EncodingError) -> [EncodedFile] {
    let key: MMKVKey? =
      switch cipher {
      case .keep: store.key
      case .plain: nil
      case .rekey(let bytes, let isAES256): MMKVKey(bytes, isAES256: isAES256)
      }
    let (values, hasTimes) = store.expiryForm.unified(contents.entries.map(\.value))
    let entries = zip(contents.entries, values).map { entry, value in
      StoreContents.Entry(key: entry.key, value: value, from: entry.source)
    }
    return try MMKVWriter(
      page: store.page, sequence: store.meta.sequence &+ 1, hasExpiry: hasTimes, key: key
    ).files(named: store.name, StoreContents(entries))
  }

  private func dataPath(of path: FilePath, _ source: any FileSource) -> FilePath {
    if source.isTaken(path.appending(suffix: FileNames.metaSuffix)) { return path }
    guard source.isTaken(path) else { return path }
    if let stem = path.removingMetaSuffix { return stem }
    guard let main = RenamedPair.main(of: path, suffix: FileNames.metaSuffix),
      source.isTaken(main), metaPath(of: main, source) == path
    else { return path }
    return main
  }

  /// Returns the path of the meta file of the data file at `data`, even if it is missing.
  private func metaPath(of data: FilePath, _ source: any FileSource) -> FilePath {
    let usual = data.appending(suffix: FileNames.metaSuffix)
    guard !source.isTaken(usual), source.isTaken(data) else { return usual }
    let folder = source.folder(of: data, named: data)
    let metas = RenamedPair.sides(of: data, suffix: FileNames.metaSuffix).filter { path in
      guard source.isTaken(path), !source.isTaken(path.appending(suffix: FileNames.metaSuffix)),
        !source.isOutside(path, of: folder),
        let head = try? source.head(of: path, count: MetaInfo.byteCount)
      else { return false }
      return MetaInfo.isCertain(head)
    }
    return metas.count == 1 ? metas[0] : usual
  }

  /// Reads the data file; if it was found beside what the user named, it must not be a link out of
  /// the folder.
  private func dataFile(
    at data: FilePath, named path: FilePath, _ source: any FileSource
  ) throws(DiscoveryError) -> StoreFile {
    guard data != path else { return try source.file(at: data) }
    do throws(FileError) {
      let image = try source.read(
        data, in: source.folder(of: data, named: path), limit: FileImage.maximumCount)
      return source.file(.data, at: data, readAs: image)
    } catch {
      throw .file(error)
    }
  }

  /// Reads the meta file of the data file at `data`.
  ///
  /// - Throws: `.sideFile` if it cannot be read. Without it, other bytes would be read as the log,
  ///   and a store of another format would seem more likely.
  private func metaFile(
    at path: FilePath, of data: FilePath, named: FilePath, _ source: any FileSource
  ) throws(DiscoveryError) -> StoreFile {
    do throws(FileError) {
      let folder = source.folder(of: data, named: named)
      let image = try source.read(path, in: folder, limit: MMKVFormat.metaLimit)
      return source.file(.meta, at: path, readAs: image)
    } catch {
      throw source.isTaken(data) ? .sideFile(error, of: data) : .file(error)
    }
  }

  private func onlyStore(
    in folder: FilePath, _ source: any FileSource
  ) throws(DiscoveryError) -> FilePath {
    let names = try source.allNames(in: folder).map { folder.appending($0) }
    let all = Set(names)
    // A pair of files is a store; a file by itself counts only if there is no pair.
    let files = names.filter { !source.isFolder($0) }
    var stores = files.filter { all.contains($0.appending(suffix: FileNames.metaSuffix)) }
    if stores.isEmpty { stores = files.map { $0.removingMetaSuffix ?? $0 } }
    guard let first = stores.first else { throw .noStore(in: folder, format: MMKVFormat.name) }
    if stores.count > 1 {
      throw .severalStores(in: folder, names: stores.map { $0.lastComponent?.string ?? "" })
    }
    return first
  }
}

extension MMKVStore {
  /// The path of the data file, even if it is missing.
  var dataPath: FilePath { Self.dataPath(of: files) }

  /// Returns the path of the data file in `files`, even if it is missing.
  fileprivate static func dataPath(of files: [StoreFile]) -> FilePath {
    let data = files.first { $0.role == .data }
    let meta = files.first { $0.role == .meta }
    return data?.path ?? meta?.path.removingMetaSuffix ?? "mmkv.default"
  }

  /// The name of the data file, with its original bytes.
  var name: FilePath { dataPath.lastName ?? "mmkv.default" }
}

extension FilePath {
  /// The path without the suffix of a meta file; `nil` if it does not end in it, or is only the
  /// suffix.
  fileprivate var removingMetaSuffix: FilePath? {
    lastComponent?.string == FileNames.metaSuffix ? nil : removing(suffix: FileNames.metaSuffix)
  }
}
