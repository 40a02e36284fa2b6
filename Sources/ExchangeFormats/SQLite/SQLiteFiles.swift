import KVBytes
package import KVModel
import KVSystem
import SystemPackage

extension EntryRestorer {
  /// The main file, and those that are temporarily beside it.
  package static var replacedRoles: [FileRole] { [.data, .side] }
}

extension FileRole {
  /// A file that is temporarily beside the main file, such as a log, a journal or a copy.
  package static var side: FileRole { FileRole(1) }
  /// A write-ahead log under the name of another database, which may belong to the main file.
  static var otherLog: FileRole { FileRole(5) }
}

extension FileImage {
  /// Returns the big-endian integer of `count` bytes at `offset`, which lie in the image.
  func bigEndian(_ offset: Int, count: Int = 4) -> Int {
    (offset..<offset + count).reduce(0) { $0 << 8 | Int(self[$1]) }
  }
}

/// The files of a SQLite database.
///
/// Reference: <https://www.sqlite.org/fileformat2.html> § 1.3, <https://www.sqlite.org/tempfiles.html>.
enum SQLiteFiles {
  /// The names of the roles in reports.
  static let roleNames: [FileRole: String] = [.side: "meta", .otherLog: "other-log"]
  /// The suffix of the name of a database's write-ahead log.
  static let logSuffix = "-wal"
  /// The suffixes of the names of a database's log and rollback journal.
  static let sideSuffixes = [logSuffix, journalSuffix]
  /// The suffix of the name of a database's rollback journal.
  static let journalSuffix = "-journal"

  /// The number of names among which a log under another name is looked for.
  private static let nameLimit = 1000

  /// Returns the database at `path` and the files beside it that belong to it.
  ///
  /// An empty journal belongs to no database. An empty log shows that no newer rows are missing. If a
  /// database that uses a log has none, a log without a database of its own is added.
  ///
  /// - Throws: An error if the database cannot be read.
  static func discover(
    in source: any FileSource, at path: FilePath, named: FilePath? = nil
  ) throws(DiscoveryError) -> [StoreFile] {
    var files = [try source.file(at: path)]
    let folder = source.folder(of: path, named: named ?? path)
    for suffix in sideSuffixes {
      let side = path.appending(suffix: suffix)
      guard source.isTaken(side) else { continue }
      let file = source.file(.side, at: side, in: folder)
      if file.image.count > 0 || file.obstacle != nil || suffix == logSuffix { files.append(file) }
    }
    if usesLog(files[0].image), !source.isTaken(path.appending(suffix: logSuffix)) {
      files += log(besides: files[0], source, folder).map { [$0] } ?? []
    }
    return files
  }

  /// Returns a log beside the database `main` that has the name of no database there, and the page
  /// size of this one; `nil` if there is none.
  private static func log(
    besides main: StoreFile, _ source: any FileSource, _ folder: StoreFolder
  ) -> StoreFile? {
    let home = main.path.parent
    let names = (try? source.names(in: home)) ?? []
    guard names.count <= nameLimit else { return nil }
    for name in names where name.string.lowercased().contains("wal") {
      let path = home.appending(name)
      let base = path.removing(suffix: logSuffix)
      guard path != main.path, base.map({ !source.isTaken($0) }) ?? true, !source.isFolder(path),
        let head = try? source.head(of: path, count: WALCheck.headerCount),
        WALCheck.pageSize(in: head) == pageSize(of: main.image)
      else { continue }
      let file = source.file(.otherLog, at: path, in: folder)
      if file.obstacle == nil, WALCheck.committedCount(in: file.image) > 0 { return file }
    }
    return nil
  }

  /// Returns whether the header says that the newest rows may be in a write-ahead log.
  static func usesLog(_ image: FileImage) -> Bool {
    isDatabase(image) && image[18] == 2 && image[19] == 2
  }

  /// Returns whether the image has the header of a database.
  static func isDatabase(_ image: FileImage) -> Bool {
    image.count >= 100 && image.bytes(in: 0..<16) == Array("SQLite format 3\0".utf8)
  }

  /// Returns the page size in the header, or `nil` if there is no header.
  static func pageSize(of image: FileImage) -> Int? {
    guard isDatabase(image) else { return nil }
    let size = image.bigEndian(16, count: 2)
    return size == 1 ? 65536 : size
  }

  /// Returns the application ID in the header, or `nil` if there is no header.
  static func applicationID(of image: FileImage) -> UInt32? {
    guard isDatabase(image) else { return nil }
    return UInt32(image.bigEndian(68))
  }

  /// Returns the user version in the header, or `nil` if there is no header.
  ///
  /// It counts the versions of the schema.
  static func userVersion(of image: FileImage) -> UInt32? {
    guard isDatabase(image) else { return nil }
    return UInt32(image.bigEndian(60))
  }

  /// Returns whether `text` occurs at the start of one of the files.
  ///
  /// A database usually has its schema there.
  static func mention(_ text: String, _ files: [StoreFile]) -> Bool {
    files.contains { file in
      file.image.firstOccurrence(
        of: Array(text.utf8), in: 0..<min(file.image.count, 1 << 16)) != nil
    }
  }

  /// Returns a name as a quoted SQL identifier, whatever characters it contains.
  static func quoted(_ name: String) -> String {
    "\"" + name.replacing(scalar: "\"", with: "\"\"") + "\""
  }

  /// Returns whether SQLite treats two names of tables or columns as the same.
  ///
  /// SQLite compares their bytes, ignoring the case of ASCII letters.
  static func isSameName(_ one: String, _ other: String) -> Bool {
    one.utf8.elementsEqual(other.utf8) { lowercased($0) == lowercased($1) }
  }

  /// Returns whether the name of a table is reserved for SQLite.
  static func isReserved(_ name: String) -> Bool {
    let prefix = "sqlite_".utf8
    return name.utf8.prefix(prefix.count).elementsEqual(prefix) { lowercased($0) == $1 }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  /// Returns SQLite's message for an error, in one line.
  static func words(of error: any Error) -> String {
    oneLine((error as? SQLiteError)?.message ?? String(describing: error))
  }

  /// Returns a message of SQLite in one line, without the lines that name the database, which has no
  /// other name than "main".
  static func oneLine(_ message: String) -> String {
    message.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("*** in database ") }
      .joined(separator: "; ")
  }
}

extension SQLiteFiles {
  /// What becomes of a database that SQLite cannot read.
  static let refusals: [LibraryRefusal] = [
    .startsEmpty(
      writes: ["deletes the database, and creates an empty one"],
      callbacks: ["onCorruption"], if: "with Android's SQLiteOpenHelper"),
    .throwing("SQLITE_CORRUPT", if: "with another library"),
  ]
}

extension [Finding] {
  /// Whether SQLite stopped with an error, or the table is missing.
  var stopSQLite: Bool {
    contains { $0.kind == SQLiteFindings.corrupt || $0.kind == SQLiteFindings.noTable }
  }

  /// Whether SQLite may have read rows of other tables, and missed some.
  var leadSQLiteAstray: Bool { contains { $0.kind == SQLiteFindings.sharedPage } }

  /// Whether the table may have rows that SQLite does not read.
  var mayLackRows: Bool { stopSQLite || leadSQLiteAstray }
}
