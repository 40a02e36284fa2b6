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
///     Windows                  SQLite: `AsyncLocalStorage(key TEXT PRIMARY KEY, value TEXT NOT NULL)`
///     `ExpoSQLiteStorage`      SQLite: `storage(key TEXT PRIMARY KEY NOT NULL, value TEXT)`, the
///                              replacement in expo-sqlite
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
  /// The start of the names of the folder on iOS, which end in a version or not.
  private static let folderPrefix = "RCTAsyncLocalStorage"
  /// The names of databases that no other program uses.
  private static let keptDatabases = ["RKStorage", expoName]
  private static let databaseNames = keptDatabases + ["AsyncStorage", windowsName]
  private static let expoName = "ExpoSQLiteStorage"
  private static let windowsName = "AsyncStorage.db"
  /// How each library creates its table, by the name of its database.
  ///
  /// That of `RKStorage` creates the table in a database without a version.
  private static let creations = [
    "RKStorage": KeyValueTable.Creation(
      statement: "CREATE TABLE catalystLocalStorage(key TEXT PRIMARY KEY, value TEXT NOT NULL)",
      version: 1),
    "AsyncStorage": KeyValueTable.Creation(
      statement: "CREATE TABLE Storage(key TEXT NOT NULL, value TEXT, PRIMARY KEY(key))"),
    expoName: KeyValueTable.Creation(
      statement: "CREATE TABLE storage(key TEXT PRIMARY KEY NOT NULL, value TEXT)"),
    windowsName: KeyValueTable.Creation(
      statement: "CREATE TABLE AsyncLocalStorage(key TEXT PRIMARY KEY, value TEXT NOT NULL)"),
  ]
  /// The tables that only AsyncStorage has.
  private static let tables = ["catalystLocalStorage", "AsyncLocalStorage"]

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

  /// Returns whether the file is the manifest or a file of a value in AsyncStorage's folder on iOS, or
  /// has the name of the database on Android, which no other file has.
  package static func keepsFile(at location: FileLocation) -> Bool {
    isHome(location) && (location.name == manifestName || ValueFiles.isDigest(location.name))
      || keptDatabases.contains(location.name)
  }

  /// Returns whether a file is in a folder with a name that AsyncStorage gives.
  private static func isHome(_ location: FileLocation) -> Bool {
    location.folder.hasPrefix(folderPrefix)
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
        ? try manifestFiles(in: path.parent, named: path, source)
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
      let first = try source.allNames(in: path).first(where: ValueFiles.isDigest)
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
    let folder = path.parent
    let all = try source.allNames(in: folder)
    // A scan asks for each file, so that all names may be looked at only for the first one.
    guard all.first(where: ValueFiles.isDigest) == path.lastComponent,
      !source.isTaken(folder.appending(Self.manifestName)),
      case let names = all.filter(ValueFiles.isDigest),
      isNamed || Self.isHome(source.location(of: path))
        || ValueFiles.haveKnownName(names.map(\.string), candidateKeys, digest)
    else { throw .noStore(in: folder, format: Self.name) }
    let own = source.folder(of: path, named: path)
    return names.map { source.file(.external, at: folder.appending($0), in: own) }
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
      let manifest = AsyncStorageManifest(parsing: main.image)
      guard manifest.isIntact else {
        let hasValues =
          files.count > 1 && files.dropFirst().allSatisfy { ValueFiles.isNamedByDigest($0.path) }
        return hasValues
          ? Recognition(90, because: ["it is a damaged manifest with the files of AsyncStorage"])
          : Recognition(20, because: ["it is named like a manifest but does not parse"])
      }
      if hasValue(of: manifest, in: files) {
        return Recognition(95, because: ["the file of a value is named by the MD5 of its key"])
      }
      let hasStrays = files.dropFirst().contains { ValueFiles.isNamedByDigest($0.path) }
      return manifest.items.isEmpty && hasStrays
        ? Recognition(75, because: ["an empty manifest is beside files named like an MD5"])
        : Recognition(60, because: ["the manifest is an object of strings"])
    }
    guard SQLiteFiles.isDatabase(main.image) else {
      return Recognition(0, because: ["it is neither a manifest nor an SQLite database"])
    }
    if let table = Self.tables.first(where: { SQLiteFiles.mention($0, files) }) {
      return Recognition(95, because: ["the database has a table \(table)"])
    }
    let name = main.path.lastComponent?.string ?? ""
    return Self.databaseNames.contains(name)
      && ["Storage", "storage"].contains(where: { SQLiteFiles.mention($0, files) })
      ? Recognition(90, because: ["name and table are those of AsyncStorage"])
      : Recognition(2, because: ["it is an SQLite database"])
  }

  /// Judges the files of values, without a manifest, by their names.
  private func recognition(ofValues files: [StoreFile]) -> Recognition {
    ValueFiles.haveKnownName(files.map(\.path.name), candidateKeys, digest)
      && files.allSatisfy { String(utf8: $0.image.bytes) != nil }
      ? Recognition(75, because: ["texts are in files named by the MD5 of well-known keys"])
      : Recognition(20, because: ["files are named like an MD5"])
  }

  /// Returns whether one of `files` has a value that is not in the manifest, as its name shows.
  private func hasValue(of manifest: AsyncStorageManifest, in files: [StoreFile]) -> Bool {
    let names = Set(
      files.dropFirst().filter { ValueFiles.isNamedByDigest($0.path) }
        .compactMap { $0.path.lastComponent?.string })
    return !names.isEmpty
      && manifest.items.contains { key, item in
        item == .file && digest(key.bytes).map { names.contains(Hexadecimal.text($0)) } ?? false
      }
  }

  /// Returns the entries, which are sorted by key if they are from a manifest.
  package func read(_ files: [StoreFile]) -> EntryTable {
    if let main = files.first, main.role == .external || isManifest(main) {
      return readManifest(files)
    }
    return DatabaseReading.entryTable(Self.name, files, Self.table(of: files)) { cell in
      cell.text.map { JSONText.value($0) } ?? cell.plainValue
    }
  }

  /// Returns what AsyncStorage does: on iOS by itself, and on Android by way of `SQLiteOpenHelper`.
  package static func refusals(of table: EntryTable) -> [LibraryRefusal]? {
    guard table.files.first?.path.lastComponent?.string == manifestName else {
      return SQLiteFiles.refusals
    }
    return [
      .startsEmpty(writes: [
        "changes nothing; its first write replaces the manifest by a new one, so copy it before"
      ])
    ]
  }

  /// Returns the table of the database with `files`, whose name tells which library made it.
  static func table(of files: [StoreFile]) -> KeyValueTable {
    let name = files.first?.path.lastComponent?.string ?? ""
    return KeyValueTable(
      names: ["catalystLocalStorage", "AsyncLocalStorage", "Storage"], key: "key", value: "value",
      usual: creations[name] ?? creations["RKStorage"])
  }

  private func isManifest(_ file: StoreFile) -> Bool {
    file.path.lastComponent?.string == Self.manifestName
  }
}
