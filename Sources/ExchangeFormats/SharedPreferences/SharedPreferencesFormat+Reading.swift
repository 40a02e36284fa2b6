import KVBytes
package import KVModel
import KVSystem
package import SystemPackage

extension SharedPreferencesFormat: EntryReader {
  /// The names of the roles that this format adds.
  package static var roleNames: [FileRole: String] { [.side: "meta"] }

  /// Returns whether the file is named like SharedPreferences, or a backup of them, and is in the
  /// folder that Android has for them.
  package static func keepsFile(at location: FileLocation) -> Bool {
    // A backup of Android has the app's files in other folders: `apps/PACKAGE/sp`.
    let isKept =
      location.folder == folder
      || location.folder == backupFolder && location.folders.dropFirst(2).first == "apps"
    return isKept
      && (location.name.hasSuffix(suffix) || location.name.hasSuffix(suffix + backupSuffix))
  }

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

  /// Returns the entries of the first file, and the other one as a version of it.
  ///
  /// An element that cannot be read is left out, with a finding.
  package func read(_ files: [StoreFile]) -> EntryTable {
    guard let file = files.first else {
      return EntryTable(formatName: Self.name, files: files, entries: [], findings: [])
    }
    var reader = SharedPreferencesReader(file)
    reader.readAll()
    let entries = reader.entries.all
    let versions = files.read.dropFirst().map(Self.version)
    let backup = Self.message(about: file, entries, versions).map {
      Finding(SharedPreferencesFindings.backup, at: Extent(file.role, file.image.range), $0)
    }
    return EntryTable(
      formatName: Self.name, files: files, entries: entries,
      findings: [backup].compactMap(\.self) + reader.findings.all, versions: versions,
      isRefused: reader.isRefused)
  }

  /// Returns what `SharedPreferencesImpl` does: it logs the exception, and goes on without entries.
  ///
  /// What it makes of entities that a document declares is not read here, and so not known.
  package static func refusals(of table: EntryTable) -> [LibraryRefusal]? {
    guard
      !table.findings.contains(where: {
        $0.kind == SharedPreferencesFindings.doctype && $0.severity == .damage
      })
    else { return nil }
    return [
      .startsEmpty(writes: [
        "changes nothing; its first commit or apply replaces the file by a new one, so copy it before"
      ])
    ]
  }

  private static func isBackup(_ path: FilePath) -> Bool { path.string.hasSuffix(backupSuffix) }

  private static func version(_ file: StoreFile) -> EntryVersion {
    var reader = SharedPreferencesReader(file)
    reader.readAll()
    return EntryVersion(
      at: file.path, reader.entries.all, isWhole: !reader.findings.hasDamage,
      isBackup(file.path) ? .restored : .discarded)
  }

  /// Returns what there is to know about the backup, if there is one.
  private static func message(
    about file: StoreFile, _ entries: [TypedEntry], _ versions: [EntryVersion]
  ) -> String? {
    guard let version = versions.first else {
      return isBackup(file.path)
        ? "this is the backup of a write that did not finish, and the app will load it" : nil
    }
    let other = version.path.lastComponent?.string ?? ""
    guard isBackup(file.path) else {
      let count = entries.count(notIn: version.entries)
      return "a write did not finish: the app will load \(other), with "
        + "\(entryText(version.entries.count)), and discard this file; of its "
        + "\(entryText(entries.count)), \(lostText(count))"
    }
    let count = version.entries.count(notIn: entries)
    return "a write did not finish: the app will load this backup and discard \(other), which "
      + (version.isWhole ? "is whole and has" : "is damaged and has")
      + " \(entryText(version.entries.count)), of which \(lostText(count))"
  }

  private static func entryText(_ count: Int) -> String {
    "\(count.grouped) \(count == 1 ? "entry" : "entries")"
  }

  private static func lostText(_ count: Int) -> String {
    "\(count.grouped) \(count == 1 ? "is lost or goes" : "are lost or go") back to an earlier value"
  }
}
