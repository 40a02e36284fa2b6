import KVBytes
package import KVModel
import KVSystem
import SystemPackage

extension FileRole {
  /// The first material.
  package static var firstMaterial: FileRole { FileRole(2) }
  /// The last material.
  package static var lastMaterial: FileRole { FileRole(3) }
  /// The incremental material.
  package static var incrementalMaterial: FileRole { FileRole(4) }

  /// Whether the file is a material.
  var isMaterial: Bool { [.firstMaterial, .lastMaterial, .incrementalMaterial].contains(self) }
}

/// The files that WCDB keeps beside a database.
///
/// Reference: WCDB's `Factory`.
enum WCDBFiles {
  /// The suffixes of the files beside a database.
  static let suffixes: [(suffix: String, role: FileRole)] = [
    ("-first.material", .firstMaterial), ("-last.material", .lastMaterial),
    ("-incremental.material", .incrementalMaterial), ("-backup", .external),
  ]
  /// The names of the roles in reports.
  static let roleNames = SQLiteFiles.roleNames.merging(
    [.firstMaterial: "copyA", .lastMaterial: "copyB", .incrementalMaterial: "copyC"]
  ) { $1 }
  private static let factorySuffix = ".factory"
  private static let databaseSuffixes = [".db", ".sqlite", ".sqlite3", ".wcdb"]

  /// Finds the database and the files beside it.
  ///
  /// `path` may name the database, one of WCDB's files beside it, or a folder with exactly one
  /// database.
  ///
  /// - Throws: An error if there is no database or more than one, or if a file cannot be read.
  static func discover(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> [StoreFile] {
    let main = try database(at: path, source)
    var files = try SQLiteFiles.discover(in: source, at: main, named: path)
    let folder = source.folder(of: main, named: path)
    for (suffix, role) in suffixes {
      let side = main.appending(suffix: suffix)
      if source.isTaken(side) { files.append(source.file(role, at: side, in: folder)) }
    }
    return files
  }

  private static func database(
    at path: FilePath, _ source: any FileSource
  ) throws(DiscoveryError) -> FilePath {
    guard source.isFolder(path) else {
      let name = path.lastComponent?.string ?? ""
      let suffix = suffixes.first { name.hasSuffix($0.suffix) && name != $0.suffix }?.suffix
      guard let suffix else { return path }
      let main = path.removingLastComponent().appending(String(name.dropLast(suffix.count)))
      return source.isTaken(main) ? main : path
    }
    let names = try source.allNames(in: path).map(\.string)
    let all = Set(names)
    let known = Set(
      names.filter { name in
        (suffixes.map(\.suffix) + [factorySuffix]).contains { all.contains(name + $0) }
      })
    return try FileReading.path(in: source, at: path, format: WCDBReader.name) { name in
      known.isEmpty ? databaseSuffixes.contains { name.hasSuffix($0) } : known.contains(name)
    }
  }

  /// Returns the names of the folders in which WCDB has set aside a copy of the database at `path`.
  ///
  /// WCDB sets a copy aside if the database is damaged.
  static func deposits(of path: FilePath) -> [String] {
    guard let name = path.lastComponent else { return [] }
    let factory = path.appending(suffix: factorySuffix)
    // A folder that is missing or cannot be listed has no names.
    guard let folders = try? Folder.names(in: factory) else { return [] }
    return folders.filter { folder in
      // Like Factory::isWorkshopDirectory, skip the folders for unfinished work.
      !["restore", "renew", "vacuum"].contains(folder)
        && Folder.isTaken(factory.appending(folder).appending(name))
    }
  }
}
