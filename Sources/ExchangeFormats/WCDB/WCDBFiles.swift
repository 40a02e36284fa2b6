package import KVModel
import KVSystem
import SystemPackage

extension FileRole {
  /// The first material.
  package static var firstMaterial: FileRole { FileRole(2) }
  /// The last material.
  package static var lastMaterial: FileRole { FileRole(3) }
}

/// The files that WCDB keeps beside a database.
///
/// Reference: WCDB's `Factory`.
enum WCDBFiles {
  /// The suffixes of the materials beside a database.
  private static let materials: [(suffix: String, role: FileRole)] = [
    ("-first.material", .firstMaterial), ("-last.material", .lastMaterial),
  ]
  /// The suffixes of all files beside a database.
  private static let suffixes = materials.map(\.suffix) + [incrementalSuffix, "-backup"]
  private static let incrementalSuffix = "-incremental.material"
  /// The names of the roles in reports.
  static let roleNames = SQLiteFiles.roleNames.merging(
    [.firstMaterial: "copyA", .lastMaterial: "copyB"]
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
    for (suffix, role) in materials {
      let side = main.appending(suffix: suffix)
      if source.isTaken(side) { files.append(source.file(role, at: side, in: folder)) }
    }
    return files
  }

  private static func database(
    at path: FilePath, _ source: any FileSource
  ) throws(DiscoveryError) -> FilePath {
    guard source.isFolder(path) else {
      let main = suffixes.lazy.compactMap { path.removing(suffix: $0) }.first
      return main.map { source.isTaken($0) ? $0 : path } ?? path
    }
    let all = Set(try source.allNames(in: path).map(\.string))
    let known = all.filter { name in
      (suffixes + [factorySuffix]).contains { all.contains(name + $0) }
    }
    return try FileReading.path(in: source, at: path, format: WCDBReader.name) { name in
      known.isEmpty ? databaseSuffixes.contains { name.hasSuffix($0) } : known.contains(name)
    }
  }

  /// Returns whether there is a folder in which WCDB sets aside damaged copies of the database at
  /// `path`.
  static func hasFactory(_ path: FilePath) -> Bool {
    Folder.exists(path.appending(suffix: factorySuffix))
  }

  /// Returns whether there is something beside the database at `path`, apart from materials, that
  /// WCDB alone makes.
  static func hasOthers(_ path: FilePath) -> Bool {
    hasFactory(path) || Folder.isTaken(path.appending(suffix: incrementalSuffix))
  }
}
