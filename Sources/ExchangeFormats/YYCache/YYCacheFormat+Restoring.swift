import KVBytes
package import KVModel
package import KVSystem
package import SystemPackage

extension YYCacheFormat: EntryRestorer {
  /// Returns the name of the manifest, even if it is missing.
  package static func loadedName(of files: [StoreFile]) -> FilePath { FilePath(manifestName) }

  /// `true`: the manifest is copied.
  package func keepsUnread(of table: EntryTable) -> Bool { true }

  /// Returns the entry itself, unless its key is unknown.
  package func fitRestored(_ entry: TypedEntry, of table: EntryTable) -> EntryFit {
    ValueFiles.fit(entry, of: table)
  }

  /// Writes a copy of the manifest, in which values without a row have one again, and the files of
  /// values.
  package func restore(
    _ entries: [TypedEntry], of table: EntryTable, in folder: FilePath,
    into files: inout PendingWrite
  ) throws(ConversionError) -> [String] {
    let databaseFiles = table.files.filter { $0.role != .external }
    let keys = Set(entries.map(\.key))
    let dropped = table.entries.prefix(table.indexedCount).filter { !keys.contains($0.key) }
    let strays = table.entries.suffix(table.strayCount).filter { keys.contains($0.key) }
    func addRows(_ database: borrowing SQLiteConnection) throws {
      try database.execute(YYCacheWriter.creation)
      try Self.table.delete(Array(dropped), from: database)
      let statement = try database.statement(YYCacheWriter.insertion)
      for entry in strays {
        try statement.run([
          .blob(entry.key.bytes), fileName(of: entry.key).map { .text($0) } ?? .null,
          .integer(Int64(Self.data(entry.value).count)), .null, .integer(time), .integer(time),
        ])
      }
    }
    var lacking: [String] = []
    try files.adoptFile(at: folder.appending(Self.manifestName)) { (path) throws(ConversionError) in
      if databaseFiles.isEmpty || table.isRefused && table.indexedCount == 0 {
        try NewDatabase.fill(at: path, addRows)
      } else {
        lacking = try DatabaseCopy.write(databaseFiles, to: path, adding: addRows)
      }
    }
    let values = folder.appending(Self.dataName)
    do throws(FileError) {
      try files.makeFolder(at: values)
      for file in table.files.read where file.isValue(in: Self.dataName) {
        try files.add(file.image.bytes, at: values.appending(file.path.name))
      }
    } catch {
      throw .file(error)
    }
    return lacking
  }

  /// `true`: a log of the old manifest would be applied to the new one.
  package static var removesFirst: Bool { true }
}

extension StoreFile {
  /// Whether the file holds a value and lies in a folder called `name`.
  fileprivate func isValue(in name: String) -> Bool {
    role == .external && path.parent.lastComponent?.string == name
  }
}
