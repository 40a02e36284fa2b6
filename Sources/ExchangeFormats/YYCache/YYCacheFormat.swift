import KVBytes
import KVCryptography
package import KVModel
import KVSystem
package import SystemPackage

/// A folder of YYCache: small values in a database, large ones in files.
///
///     name             what
///     manifest.sqlite  SQLite: `manifest(key, filename, size, inline_data, …)`
///     data/            the values whose row has a `filename`, which otherwise are in `inline_data`
///     trash/           what was in `data/` when everything was removed
///
/// A value is what an archiver made of an object: a keyed archive where it begins with "bplist00",
/// bytes otherwise. A file name in a row is looked up among those in `data/` and leads nowhere else.
///
/// A file is named by the MD5 of its key, in lower-case hexadecimal digits, unless the app has other
/// names: so a file whose row is lost tells its key to whoever has a list to choose from.
///
/// Reference: `Docs/CONVERSION.md` § YYCache.
package struct YYCacheFormat: EntryReader {
  /// The format's name.
  package static var name: String { "yycache" }
  /// The names of the roles that are its own.
  package static var roleNames: [FileRole: String] { SQLiteFiles.roleNames }

  static let manifestName = "manifest.sqlite"
  static let dataName = "data"
  static let trashName = "trash"

  /// Keys that a file in `data/` may have whose row is lost, besides those of the rows.
  package let candidateKeys: [String]
  /// When the entries that are written were changed and used last, in seconds since 1970.
  package let time: Int64
  /// What names the files of values.
  let digest: @Sendable ([UInt8]) -> [UInt8]?

  /// A format that looks for the owners of files among `candidateKeys`, and writes entries of `time`.
  ///
  /// Without a time, the same entries make the same folder, and all that the app has used since goes
  /// before them: they are the first that it drops when a limit of size or count is reached, and it
  /// drops all of them if it has a limit of age.
  package init(candidateKeys: [String] = [], time: Int64 = 0) {
    self.init(candidateKeys: candidateKeys, time: time) { Cryptography.md5($0) }
  }

  /// A format that takes `digest` for MD5, which a build may be without.
  package init(
    candidateKeys: [String] = [], time: Int64 = 0,
    digest: @escaping @Sendable ([UInt8]) -> [UInt8]?
  ) {
    self.candidateKeys = candidateKeys
    self.time = time
    self.digest = digest
  }

  /// The name of the file of `key`; `nil` in a build without MD5.
  func fileName(of key: Key) -> String? { digest(key.bytes).map { Hexadecimal.text($0) } }

  /// Finds the manifest at `path` or in the folder there, and the files in `data` and `trash`.
  package func discover(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> [StoreFile] {
    let manifest = try FileReading.path(in: source, at: path, format: Self.name) {
      $0 == Self.manifestName
    }
    let folder = manifest.removingLastComponent()
    var files = try SQLiteFiles.discover(in: source, at: manifest, named: path)
    let own = source.folder(of: manifest, named: path)
    files += Self.files(in: folder.appending(Self.dataName), of: own, source)
    let trash = folder.appending(Self.trashName)
    // Each time that all is removed, the folder of data moves into the trash as it is.
    for name in source.isOutside(trash, of: own) ? [] : (try? source.names(in: trash)) ?? [] {
      files += Self.files(in: trash.appending(name), of: own, source)
    }
    return files
  }

  /// The files with values in `folder`; why one or all of them cannot be read goes with them.
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

  /// By the name of the manifest and the start of it.
  package func recognition(of files: [StoreFile]) -> Recognition {
    guard let main = files.first, main.path.lastComponent?.string == Self.manifestName else {
      return Recognition(0, because: ["there is no \(Self.manifestName)"])
    }
    guard SQLiteFiles.isDatabase(main.image) else {
      return Recognition(30, because: ["\(Self.manifestName) has no header of SQLite"])
    }
    return SQLiteFiles.mention("inline_data", files)
      ? Recognition(95, because: ["\(Self.manifestName) has the table of YYCache"])
      : Recognition(10, because: ["\(Self.manifestName) is a database of SQLite"])
  }

  /// The rows of the manifest with their values.
  package func read(_ files: [StoreFile]) -> EntryTable {
    var contents = YYCacheContents(files)
    var findings = DatabaseReading.read(contents.databaseFiles) { reading in
      let columns = ["key", "filename", "size", "inline_data"]
      guard let table = reading.table("manifest", columns: columns) else { return }
      contents.read(table, &reading)
    }
    if let stop = findings.first(where: {
      [SQLiteFindings.corrupt, SQLiteFindings.noTable].contains($0.kind)
    }) {
      findings.append(
        Finding(
          YYCacheFindings.corruptManifest, at: stop.extent,
          "when the app cannot open the manifest, it deletes it and moves all files of values to the "
            + "trash: keep a copy of the folder"))
    }
    contents.matchTheRest(candidateKeys.map { Key(Array($0.utf8)) }, named: fileName)
    contents.reportTheRest()
    return EntryTable(
      formatName: Self.name, files: files, entries: contents.entries,
      findings: findings + contents.findings)
  }
}
