import KVBytes
import KVCryptography
package import KVModel
import KVSystem
package import SystemPackage

/// The storage of React Native's AsyncStorage, whose values are strings, usually JSON.
///
///     where                    what
///     Android, `RKStorage`     SQLite: `catalystLocalStorage(key TEXT PRIMARY KEY, value TEXT)`
///     Android, `AsyncStorage`  SQLite: `Storage(key TEXT PRIMARY KEY, value TEXT)`, made by Room
///     iOS, a folder            `manifest.json`: an object with the texts; null for a text of more than
///                              1024 UTF-16 units, which is in a file named by the MD5 of the key
///
/// A string that is a JSON object or array becomes `json`, and any other becomes `string`.
///
/// Reference: `Docs/CONVERSION.md` § AsyncStorage.
package struct AsyncStorageReader: EntryReader {
  /// The format's name.
  package static var name: String { "asyncstorage" }
  /// The names of the roles that this format adds.
  package static var roleNames: [FileRole: String] { SQLiteFiles.roleNames }

  static let manifestName = "manifest.json"
  private static let databaseNames = ["RKStorage", "AsyncStorage"]

  /// Candidates for the key of a file that the manifest does not list.
  let candidateKeys: [Key]
  /// A function that returns the digest of a key, which names the file of its value.
  let digest: @Sendable ([UInt8]) -> [UInt8]?

  /// Creates a reader that looks for the keys of files among `candidateKeys`.
  package init(candidateKeys: [String] = []) {
    self.init(candidateKeys: candidateKeys) { Cryptography.md5($0) }
  }

  /// Creates a reader that uses `digest` for MD5, which a build may lack.
  package init(
    candidateKeys: [String] = [], digest: @escaping @Sendable ([UInt8]) -> [UInt8]?
  ) {
    self.candidateKeys = candidateKeys.map { Key(Array($0.utf8)) }
    self.digest = digest
  }

  /// Finds the database or the manifest at `path`, or in the folder at `path`; or if there is
  /// neither, the files of values.
  package func discover(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> [StoreFile] {
    guard source.isFolder(path) else {
      if ValueFiles.isNamedByDigest(path) {
        return try valueFiles(from: path, isNamed: false, source)
      }
      return path.lastComponent?.string == Self.manifestName
        ? try manifestFiles(in: path.removingLastComponent(), named: path, source)
        : try SQLiteFiles.discover(in: source, at: path)
    }
    if source.isTaken(path.appending(Self.manifestName)) {
      return try manifestFiles(in: path, named: path, source)
    }
    do throws(DiscoveryError) {
      return try SQLiteFiles.discover(
        in: source,
        at: FileReading.path(in: source, at: path, format: Self.name) {
          Self.databaseNames.contains($0)
        })
    } catch .noStore(let folder, let format) {
      let first = try source.allNames(in: path).first { ValueFiles.isDigest($0.string) }
      guard let first else { throw .noStore(in: folder, format: format) }
      return try valueFiles(from: path.appending(first), isNamed: true, source)
    }
  }

  /// Returns the files of values in the folder of `path`, which is the first of them, if there is no
  /// manifest.
  ///
  /// Unless the user has named the folder, something must show that it is AsyncStorage's: other
  /// caches have many files with such names, which must not be read for nothing. From another file
  /// than the first, the store is not found, so that a scan does not read all files for each.
  private func valueFiles(
    from path: FilePath, isNamed: Bool, _ source: any FileSource
  ) throws(DiscoveryError) -> [StoreFile] {
    let folder = path.removingLastComponent()
    let names = try source.allNames(in: folder).filter { ValueFiles.isDigest($0.string) }
    guard names.first == path.lastComponent,
      !source.isTaken(folder.appending(Self.manifestName)),
      isNamed || Self.isHome(path)
        || ValueFiles.haveKnownName(names.map(\.string), candidateKeys, digest)
    else { throw .noStore(in: folder, format: Self.name) }
    let own = source.folder(of: path, named: path)
    return names.map { source.file(.external, at: folder.appending($0), in: own) }
  }

  /// Returns whether `path` is in a folder with a name that AsyncStorage gives.
  private static func isHome(_ path: FilePath) -> Bool {
    path.string.contains("AsyncLocalStorage")
  }

  /// Returns the manifest in `folder` and the files of values beside it.
  private func manifestFiles(
    in folder: FilePath, named path: FilePath, _ source: any FileSource
  ) throws(DiscoveryError) -> [StoreFile] {
    let manifest = folder.appending(Self.manifestName)
    var files = [try source.file(at: manifest)]
    let own = source.folder(of: manifest, named: path)
    let names = try source.allNames(in: folder)
    // The system puts hidden files into folders.
    for name in names where name.string != Self.manifestName && !name.string.hasPrefix(".") {
      let path = folder.appending(name)
      if !source.isFolder(path) { files.append(source.file(.external, at: path, in: own)) }
    }
    return files
  }

  /// Judges the files by their names and the start of the main file.
  package func recognition(of files: [StoreFile]) -> Recognition {
    guard let main = files.first else { return Recognition(0, because: ["there is no file"]) }
    if main.role == .external { return recognition(ofValues: files) }
    if isManifest(main) {
      let isAtHome = main.path.string.contains("AsyncLocalStorage")
      guard AsyncStorageManifest(parsing: main.image).isIntact else {
        let hasValues =
          files.count > 1 && files.dropFirst().allSatisfy { ValueFiles.isNamedByDigest($0.path) }
        return isAtHome || hasValues
          ? Recognition(90, because: ["it is a damaged manifest with the files of AsyncStorage"])
          : Recognition(20, because: ["it is named like a manifest but does not parse"])
      }
      return isAtHome
        ? Recognition(95, because: ["it is a manifest in AsyncStorage's folder"])
        : Recognition(60, because: ["the manifest is an object of strings"])
    }
    guard SQLiteFiles.isDatabase(main.image) else {
      return Recognition(0, because: ["it is neither a manifest nor an SQLite database"])
    }
    if SQLiteFiles.mention("catalystLocalStorage", files) {
      return Recognition(95, because: ["the database has a table catalystLocalStorage"])
    }
    let isNamed = main.path.lastComponent?.string == "AsyncStorage"
    return isNamed && SQLiteFiles.mention("Storage", files)
      ? Recognition(90, because: ["name and table are those of AsyncStorage"])
      : Recognition(2, because: ["it is an SQLite database"])
  }

  /// Judges the files of values, without a manifest, by their folder and by their names.
  private func recognition(ofValues files: [StoreFile]) -> Recognition {
    if Self.isHome(files[0].path) {
      return Recognition(90, because: ["files named by MD5 are in AsyncStorage's folder"])
    }
    return ValueFiles.haveKnownName(files.map(\.path.name), candidateKeys, digest)
      && files.allSatisfy { String(utf8: $0.image.bytes) != nil }
      ? Recognition(75, because: ["texts are in files named by the MD5 of well-known keys"])
      : Recognition(20, because: ["files are named like an MD5"])
  }

  /// Returns the entries, which are sorted by key if they are from a manifest.
  package func read(_ files: [StoreFile]) -> EntryTable {
    if let main = files.first, main.role == .external || isManifest(main) {
      return readManifest(files)
    }
    let table = readDatabase(files)
    return EntryTable(
      formatName: Self.name, files: files, entries: table.entries, findings: table.findings,
      versions: DatabaseReading.versions(of: files, table.entries, readDatabase),
      obstacle: table.obstacle)
  }

  private func readDatabase(_ files: [StoreFile]) -> EntryTable {
    var entries: [TypedEntry] = []
    let outcome = DatabaseReading.read(files) { reading in
      guard
        let table = reading.table(
          "catalystLocalStorage", "Storage", columns: ["key", "value"])
      else { return }
      entries = reading.entries(of: table) { cell in
        cell.text.map { JSONText.value($0) } ?? cell.plainValue
      }
    }
    return EntryTable(
      formatName: Self.name, files: files, entries: entries, findings: outcome.findings,
      obstacle: outcome.obstacle)
  }

  private func isManifest(_ file: StoreFile) -> Bool {
    file.path.lastComponent?.string == Self.manifestName
  }
}
