package import KVModel
import KVSystem
package import SystemPackage

extension PropertyListFormat: EntryReader {
  /// The folders in which Apple's systems keep settings, in lowercase: those of an app or a user,
  /// those of the system on iOS, those of a profile, and those of iCloud.
  private static let folders: Set = ["preferences", "managed preferences", "syncedpreferences"]

  /// Returns whether the file is named like a property list and is in a folder of settings, or in
  /// a folder in it that is not a bundle, such as `ByHost`.
  package static func keepsFile(at location: FileLocation) -> Bool {
    guard location.name.hasSuffix(suffix) else { return false }
    let folders = location.folders.prefix(location.folder.contains(".") ? 1 : 2)
    return folders.contains { Self.folders.contains($0.lowercased()) }
  }

  /// Finds the file at `path`, or the only one in the folder at `path`.
  ///
  /// - Throws: An error if there is no file or more than one, or if a file cannot be read.
  package func discover(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> [StoreFile] {
    [try FileReading.file(in: source, at: path, format: Self.name, suffix: Self.suffix)]
  }

  /// Returns how likely it is that `files` are a property list with entries.
  ///
  /// The result depends on whether the whole file parses, and on its name.
  package func recognition(of files: [StoreFile]) -> Recognition {
    guard let file = files.first else { return Recognition(0, because: ["there is no file"]) }
    var reader = PropertyListReader(file)
    reader.readAll()
    guard reader.hasDictionary else {
      return Recognition(0, because: ["it is not a property list with a dictionary"])
    }
    let isNamed = file.path.string.hasSuffix(Self.suffix)
    let isDamaged = reader.findings.hasDamage
    return Recognition(
      (isNamed ? 95 : 85) - (isDamaged ? 30 : 0),
      because: [
        "it is a property list with a dictionary"
          + (isDamaged ? ", only partly readable" : "")
      ])
  }

  /// Returns the entries.
  ///
  /// A value that cannot be read is left out, with a finding.
  package func read(_ files: [StoreFile]) -> EntryTable {
    guard let file = files.first else {
      return EntryTable(formatName: Self.name, files: files, entries: [], findings: [])
    }
    var reader = PropertyListReader(file)
    reader.readAll()
    return EntryTable(
      formatName: Self.name, files: files, entries: reader.entries,
      findings: reader.findings.all,
      isRefused: reader.isRefused)
  }

  /// Returns what `NSUserDefaults` does.
  package static func refusals(of table: EntryTable) -> [LibraryRefusal]? {
    [
      .startsEmpty(writes: [
        "changes nothing; the first value that it sets replaces the file by a new one, so copy it before"
      ])
    ]
  }
}
