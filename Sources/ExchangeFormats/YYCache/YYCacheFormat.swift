import KVBytes
import KVCryptography
package import KVModel
import KVSystem
package import SystemPackage

/// A folder of YYCache, with small values in a database and large ones in files.
///
///     name             content
///     manifest.sqlite  SQLite: `manifest(key, filename, size, inline_data, …)`
///     data/            values of rows with a `filename`; other values are in `inline_data`
///     trash/           what was in `data/` when everything was removed
///
/// A value is the archive of an object. It is read as a keyed archive if it begins with "bplist00",
/// and as bytes otherwise. A file name in a row is only looked up among the files in `data/`.
///
/// A file is named by the MD5 of its key in lowercase hexadecimal, unless the app chooses other
/// names. So if the row of a file is lost, its key can be found in a list of candidates.
///
/// Reference: `Docs/CONVERSION.md` § YYCache.
package struct YYCacheFormat: EntryReader {
  /// The format's name.
  package static var name: String { "yycache" }
  /// The names of the roles that this format adds.
  package static var roleNames: [FileRole: String] { SQLiteFiles.roleNames }

  static let manifestName = "manifest.sqlite"
  static let dataName = "data"
  static let trashName = "trash"
  static let table = KeyValueTable(
    names: ["manifest"], columns: ["key", "filename", "size", "inline_data"],
    usual: KeyValueTable.Creation(
      statement: """
        CREATE TABLE manifest(key text, filename text, size integer, inline_data blob, \
        modification_time integer, last_access_time integer, extended_data blob, primary key(key))
        """))

  /// Additional candidates for the key of a file in `data/` whose row is lost.
  let candidateKeys: [String]
  /// The modification and access time of entries that are written, in seconds since 1970.
  package let time: Int64
  /// A function that returns the digest of a key, which names the file of its value.
  let digest: @Sendable ([UInt8]) -> [UInt8]?

  /// Creates a format that looks for the keys of files among `candidateKeys`, and writes entries
  /// with `time`.
  ///
  /// With the default time, the same entries always produce the same folder, and everything that
  /// the app uses later is newer. So the app drops these entries first when it reaches a limit of
  /// size or count. With a limit of age, it drops all of them.
  package init(candidateKeys: [String] = [], time: Int64 = 0) {
    self.init(candidateKeys: candidateKeys, time: time) { Cryptography.md5($0) }
  }

  /// Creates a format that uses `digest` for MD5, which a build may lack.
  package init(
    candidateKeys: [String] = [], time: Int64 = 0,
    digest: @escaping @Sendable ([UInt8]) -> [UInt8]?
  ) {
    self.candidateKeys = candidateKeys
    self.time = time
    self.digest = digest
  }

  /// Returns the name of the file of `key`, or `nil` in a build without MD5.
  func fileName(of key: Key) -> String? { digest(key.bytes).map { Hexadecimal.text($0) } }

  /// Finds the manifest at `path` or in the folder at `path`, and the files in `data` and `trash`.
  package func discover(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> [StoreFile] {
    let manifest: FilePath
    var files: [StoreFile] = []
    if let folder = folderWithoutManifest(at: path, source) {
      manifest = folder.appending(Self.manifestName)
    } else {
      manifest = try FileReading.path(in: source, at: path, format: Self.name) {
        $0 == Self.manifestName
      }
      files = try SQLiteFiles.discover(in: source, at: manifest, named: path)
    }
    let folder = manifest.parent
    let own = source.folder(of: manifest, named: path)
    files += Self.files(in: folder.appending(Self.dataName), of: own, source)
    let trash = folder.appending(Self.trashName)
    // When the app removes everything, it moves the `data` folder into the trash.
    for name in source.isOutside(trash, of: own) ? [] : (try? source.names(in: trash)) ?? [] {
      files += Self.files(in: trash.appending(name), of: own, source)
    }
    return files
  }

  /// Returns the folder of a cache without a manifest, if `path` is that folder, or the first file in
  /// it that is named by an MD5.
  ///
  /// Unless the user has named the folder, something must show that it is YYCache's: other caches
  /// have many files with such names, which must not be read for nothing. From another file than the
  /// first, the cache is not found, so that a scan does not read all files for each.
  private func folderWithoutManifest(
    at path: FilePath, _ source: any FileSource
  ) -> FilePath? {
    let isFolder = source.isFolder(path)
    guard isFolder || ValueFiles.isNamedByDigest(path) else { return nil }
    let data = isFolder ? path.appending(Self.dataName) : path.parent
    guard data.lastComponent?.string == Self.dataName,
      case let folder = data.parent,
      !source.isTaken(folder.appending(Self.manifestName)),
      !source.isOutside(data, of: source.folder(of: data, named: path)),
      case let names = (try? source.names(in: data)) ?? [],
      let first = names.first(where: ValueFiles.isDigest)
    else { return nil }
    if isFolder { return folder }
    // A scan asks for each file, so that all names may be looked at only for the first one.
    guard first == path.lastComponent else { return nil }
    let head = try? source.head(of: path, count: 8)
    let isArchive = head?.bytes.elementsEqual("bplist00".utf8) ?? false
    let candidates = candidateKeys.map { Key(Array($0.utf8)) }
    return isArchive || source.isFolder(folder.appending(Self.trashName))
      || ValueFiles.haveKnownName(names.map(\.string), candidates, digest)
      ? folder : nil
  }

  /// Returns the files of values in `folder`, or the reasons why they cannot be read.
  private static func files(
    in folder: FilePath, of store: StoreFolder, _ source: any FileSource
  ) -> [StoreFile] {
    guard source.isTaken(folder) else { return [] }
    // A link that leads out of the store is not even listed.
    if source.isOutside(folder, of: store) {
      return [source.file(.external, at: folder, in: store)]
    }
    guard source.isFolder(folder) else { return [] }
    do throws(FileError) {
      return try source.names(in: folder).filter { !$0.string.hasPrefix(".") }
        .map { folder.appending($0) }.filter { !source.isFolder($0) }
        .map { source.file(.external, at: $0, in: store) }
    } catch {
      return [StoreFile(.external, at: folder, unreadFor: error)]
    }
  }

  /// Judges the files by the name and the start of the manifest.
  package func recognition(of files: [StoreFile]) -> Recognition {
    let values = files.filter { $0.role == .external && ValueFiles.isNamedByDigest($0.path) }
    if let main = files.first, main.role == .external {
      return recognition(ofValues: values, among: files)
    }
    guard let main = files.first, main.path.lastComponent?.string == Self.manifestName else {
      return Recognition(0, because: ["there is no \(Self.manifestName)"])
    }
    guard SQLiteFiles.isDatabase(main.image) else {
      return values.isEmpty
        ? Recognition(30, because: ["\(Self.manifestName) has no SQLite header"])
        : Recognition(80, because: ["values are in files named by MD5, as in YYCache"])
    }
    return SQLiteFiles.mention("inline_data", files)
      ? Recognition(95, because: ["\(Self.manifestName) has YYCache's table"])
      : Recognition(10, because: ["\(Self.manifestName) is an SQLite database"])
  }

  /// Judges the files of values, without a manifest, by what only YYCache has.
  private func recognition(ofValues values: [StoreFile], among files: [StoreFile]) -> Recognition {
    let isArchive = values.contains {
      $0.image.bytes(in: 0..<min(8, $0.image.count)).starts(with: "bplist00".utf8)
    }
    let hasTrash = files.contains { $0.path.components.contains { $0.string == Self.trashName } }
    let candidates = candidateKeys.map { Key(Array($0.utf8)) }
    return isArchive || hasTrash
      || ValueFiles.haveKnownName(values.map(\.path.name), candidates, digest)
      ? Recognition(75, because: ["values are in files named by MD5, as in YYCache"])
      : Recognition(20, because: ["files are named like an MD5"])
  }

  /// Returns the rows of the manifest with their values.
  package func read(_ files: [StoreFile]) -> EntryTable {
    var contents = YYCacheContents(files)
    let outcome = DatabaseReading.read(contents.databaseFiles) { reading in
      guard
        let table = reading.table(
          Self.table.names, columns: Self.table.columns, besides: ["extended_data"])
      else { return }
      contents.read(table, &reading)
    }
    if let obstacle = outcome.obstacle {
      return EntryTable(
        formatName: Self.name, files: files, entries: [], findings: [], obstacle: obstacle)
    }
    var findings = outcome.findings
    if let stop = findings.first(where: {
      [SQLiteFindings.corrupt, SQLiteFindings.noTable].contains($0.kind)
    }) {
      findings.append(
        Finding(
          YYCacheFindings.corruptManifest, at: stop.extent,
          "if the app cannot open the manifest, it deletes it and moves all value files to the "
            + "trash: keep a copy of the folder"))
    }
    return table(of: &contents, in: files, findings)
  }

  /// Returns the entries of `contents`, whose rows have been read, and of the files without a row.
  private func table(
    of contents: inout YYCacheContents, in files: [StoreFile], _ rowFindings: [Finding]
  ) -> EntryTable {
    var findings = rowFindings
    let indexedCount = contents.entries.count
    contents.matchTheRest(candidateKeys.map { Key(Array($0.utf8)) }, digest)
    contents.reportTrash()
    let strayCount = contents.entries.count - indexedCount
    if files.first?.role == .external {
      findings.append(
        Finding(
          YYCacheFindings.noManifest, at: nil,
          "\(Self.manifestName) is missing, so the app starts with an empty cache; "
            + "\(strayCount.grouped) \(strayCount == 1 ? "value is" : "values are") still there in files"
        ))
    } else if findings.allSatisfy({ $0.severity < .damage }), contents.isEmpty,
      let emptied = ValueFiles.emptied(Self.manifestName, strayCount)
    {
      findings.append(emptied)
    }
    return EntryTable(
      formatName: Self.name, files: files, entries: contents.entries,
      findings: findings + contents.findings, strayCount: strayCount,
      past: { [contents] in
        Self.table.records(
          in: contents.databaseFiles, besides: contents.rows, mayLackRows: rowFindings.mayLackRows,
          contents.value)
      }, isRefused: rowFindings.stopSQLite)
  }

  /// Returns what `YYKVStorage` does: it resets the cache.
  package static func refusals(of table: EntryTable) -> [LibraryRefusal]? {
    [
      .startsEmpty(writes: [
        "deletes the manifest, and moves the files of values to the trash, which it empties"
      ])
    ]
  }
}
