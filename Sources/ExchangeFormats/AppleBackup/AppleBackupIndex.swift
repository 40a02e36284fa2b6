import KVBytes
package import KVModel
package import KVSystem
package import SystemPackage

/// The index of a backup of an iOS device, as a computer keeps it.
///
/// In the backup, each file is named by 40 hexadecimal digits, in a folder named by the first two
/// of them. `Manifest.db`, a SQLite database, has a row for each file in its table `Files`:
///
///     column        content
///     fileID        the name in the backup
///     domain        the owner of the file, such as `AppDomain-com.example.app`
///     relativePath  its path in the domain
///     flags         1 for a file, 2 for a folder, 4 for a symbolic link
///
/// The index is not trusted. A row may name any file, and a name may consist of any bytes.
package struct AppleBackupIndex {
  /// A file in the index.
  package struct File: Sendable {
    /// The domain and the path, with a slash between them.
    package let name: [UInt8]
    /// The name of the file in the backup.
    package let id: String
  }

  /// The name of the index.
  package static let name: FilePath.Component = "Manifest.db"
  /// The names of the property lists that every backup has beside its index.
  package static let companions: Set<FilePath.Component> = [
    properties, "Info.plist", "Status.plist",
  ]
  /// The property list that says, among other things, whether the backup is encrypted.
  private static let properties: FilePath.Component = "Manifest.plist"
  private static let regularFile: Int64 = 1
  private static let idCount = 40

  /// The files, in the order of the index.
  package private(set) var files: [File] = []
  /// Descriptions of the rows that could not be read.
  package private(set) var problems: [String] = []

  /// Reads the index of the backup in `folder` of `source`, up to `limit` files.
  ///
  /// - Throws: An error if the index cannot be read, or if the backup is encrypted.
  package init(
    of folder: FilePath, in source: any FileSource, limit: Int
  ) throws(FileError) {
    let path = folder.appending(Self.name)
    let index: [StoreFile]
    do throws(DiscoveryError) {
      index = try SQLiteFiles.discover(in: source, at: path)
    } catch {
      throw FileError.member(path: folder, reason: error.message)
    }
    if Self.isEncrypted(folder, source) {
      throw FileError.member(
        path: folder,
        reason:
          "the backup is encrypted. Decrypt it with its password first, using another tool, or "
          + "make a backup without encryption")
    }
    guard index.first.map({ SQLiteFiles.isDatabase($0.image) }) == true else {
      throw FileError.member(
        path: folder,
        reason:
          "its index \(Self.name.string) is not an SQLite database: it is damaged, or the backup is "
          + "encrypted and must be decrypted with its password first")
    }
    read(index, limit, isSurely: source.isTaken(folder.appending(Self.properties)))
  }

  /// Reads the index; if not `isSurely` one, a database without its table is another one of the
  /// same name.
  private mutating func read(_ index: [StoreFile], _ limit: Int, isSurely: Bool) {
    var files: [File] = []
    var oddCount = 0
    let outcome = DatabaseReading.read(index) { reading in
      let columns = ["fileID", "domain", "relativePath", "flags"]
      guard let table = reading.table(["Files"], columns: columns) else { return }
      reading.forEachRow(of: table) { cells in
        guard cells[3].integer == Self.regularFile else { return }
        guard files.count < limit, let file = Self.file(cells) else {
          oddCount += 1
          return
        }
        files.append(file)
      }
    }
    self.files = files
    let isOther = !isSurely && outcome.findings.map(\.code) == [SQLiteFindings.noTable.name]
    let damage = isOther ? [] : outcome.findings.filter { $0.severity == .damage }
    problems = ([outcome.obstacle?.message].compactMap(\.self) + damage.map(\.message))
      .map { "its index: \($0)" }
    if oddCount > 0 {
      problems.append(
        "\(oddCount.grouped) of the files in its index have no name, lack a name of 40 hexadecimal digits in the backup, "
          + "or exceed the limit of \(limit.grouped)")
    }
  }

  private static func file(_ cells: [SQLiteCell]) -> File? {
    guard let id = cells[0].text, id.utf8.count == idCount,
      id.utf8.allSatisfy({
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
          || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
      }),
      let domain = cells[1].key?.bytes, let path = cells[2].key?.bytes, !path.isEmpty
    else { return nil }
    return File(name: domain + [UInt8(ascii: "/")] + path, id: id)
  }

  /// Returns whether the backup states that its files are encrypted.
  private static func isEncrypted(_ folder: FilePath, _ source: any FileSource) -> Bool {
    let path = folder.appending(Self.properties)
    guard source.isTaken(path), let file = try? source.file(at: path) else { return false }
    return PropertyListFormat().read([file]).entries.contains {
      $0.key.text == "IsEncrypted" && $0.value == .bool(true)
    }
  }
}
