import KVBytes
package import KVModel
import KVSystem
package import SystemPackage

extension SharedPreferencesFormat: EntryReader {
  /// The names of the roles that this format adds.
  package static var roleNames: [FileRole: String] { [.side: "meta"] }

  /// Finds the file at `path`, or the only one in the folder at `path`.
  ///
  /// If the file has a backup, the backup comes first, unless it cannot be read.
  ///
  /// - Throws: An error if there is no file or more than one, or if a file cannot be read.
  package func discover(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> [StoreFile] {
    let file = try Self.file(at: path, source)
    let backup = file.appending(suffix: Self.backupSuffix)
    guard source.isTaken(backup), !source.isFolder(backup) else {
      return [try source.file(at: file)]
    }
    let folder = source.folder(of: file, named: path)
    let first =
      path == backup
      ? try source.file(at: backup) : source.file(.data, at: backup, in: folder)
    guard source.isTaken(file) else {
      if let obstacle = first.obstacle { throw .file(obstacle) }
      return [first]
    }
    // Prefer the file that can be read.
    if first.obstacle != nil {
      return [try source.file(at: file), first]
    }
    return [first, source.file(.side, at: file, in: folder)]
  }

  private static func file(
    at path: FilePath, _ source: any FileSource
  ) throws(DiscoveryError) -> FilePath {
    let found: FilePath
    do throws(DiscoveryError) {
      found = try FileReading.path(in: source, at: path, format: name) { $0.hasSuffix(suffix) }
    } catch .noStore {
      found = try FileReading.path(in: source, at: path, format: name) {
        $0.hasSuffix(suffix + backupSuffix)
      }
    }
    guard found.string.hasSuffix(suffix + backupSuffix) else { return found }
    return found.removing(suffix: backupSuffix) ?? found
  }

  /// Returns how likely it is that `files` are SharedPreferences.
  ///
  /// The result depends on whether the whole file parses, and on its name.
  package func recognition(of files: [StoreFile]) -> Recognition {
    guard let file = files.first else { return Recognition(0, because: ["there is no file"]) }
    let isNamed =
      file.path.string.hasSuffix(Self.suffix)
      || file.path.string.hasSuffix(Self.suffix + Self.backupSuffix)
    var reader = SharedPreferencesReader(file)
    reader.readAll()
    guard reader.hasMap else {
      return Recognition(0, because: ["it is not an XML document with a <\(Self.root)>"])
    }
    let damage = reader.findings.hasDamage
    return Recognition(
      (isNamed ? 90 : 70) - (damage ? 20 : 0),
      because: [
        "it is an XML document with a <\(Self.root)>"
          + (damage ? ", only partly readable" : "")
      ])
  }

  /// Returns the entries.
  ///
  /// An element that cannot be read is left out, with a finding.
  package func read(_ files: [StoreFile]) -> EntryTable {
    guard let file = files.first else {
      return EntryTable(formatName: Self.name, files: files, entries: [], findings: [])
    }
    var reader = SharedPreferencesReader(file)
    if file.path.string.hasSuffix(Self.backupSuffix) {
      reader.findings.add(
        Finding(
          SharedPreferencesFindings.backup, at: Extent(file.role, file.image.range),
          "a write did not finish: the app will load this backup and lose the contents of the other file"
        ))
    }
    reader.readAll()
    return EntryTable(
      formatName: Self.name, files: files, entries: reader.entries.all,
      findings: reader.findings.all)
  }
}
