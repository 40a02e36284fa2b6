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

  /// A function that returns the digest of a key, which names the file of its value.
  let digest: @Sendable ([UInt8]) -> [UInt8]?

  /// Creates a reader, which has no options.
  package init() { self.init { Cryptography.md5($0) } }

  /// Creates a reader that uses `digest` for MD5, which a build may lack.
  package init(digest: @escaping @Sendable ([UInt8]) -> [UInt8]?) { self.digest = digest }

  /// Finds the database or the manifest at `path`, or in the folder at `path`.
  package func discover(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> [StoreFile] {
    guard source.isFolder(path) else {
      return path.lastComponent?.string == Self.manifestName
        ? try manifestFiles(in: path.removingLastComponent(), named: path, source)
        : try SQLiteFiles.discover(in: source, at: path)
    }
    if source.isTaken(path.appending(Self.manifestName)) {
      return try manifestFiles(in: path, named: path, source)
    }
    return try SQLiteFiles.discover(
      in: source,
      at: FileReading.path(in: source, at: path, format: Self.name) {
        Self.databaseNames.contains($0)
      })
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

  /// Returns whether the file at `path` is named by an MD5, as files of values are.
  private static func isNamedByDigest(_ path: FilePath) -> Bool {
    path.lastComponent.map { $0.string.utf8.count == 32 && Hexadecimal.bytes($0.string) != nil }
      ?? false
  }

  /// Judges the files by their names and the start of the main file.
  package func recognition(of files: [StoreFile]) -> Recognition {
    guard let main = files.first else { return Recognition(0, because: ["there is no file"]) }
    if isManifest(main) {
      let isAtHome = main.path.string.contains("AsyncLocalStorage")
      guard AsyncStorageManifest(parsing: main.image).isIntact else {
        let hasValues =
          files.count > 1 && files.dropFirst().allSatisfy { Self.isNamedByDigest($0.path) }
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

  /// Returns the entries, which are sorted by key if they are from a manifest.
  package func read(_ files: [StoreFile]) -> EntryTable {
    if let main = files.first, isManifest(main) { return readManifest(files) }
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
