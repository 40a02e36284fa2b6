import KVBytes
package import KVModel
package import KVSystem
package import SystemPackage

extension AsyncStorageReader: EntryRestorer {
  /// `true`: a log of the old database would be applied to the new one.
  package static var removesFirst: Bool { true }

  /// A text of more UTF-16 units is kept in a file of its own.
  private static let maximumCount = 1024

  /// Returns the name of the manifest if there are files of values, even if it is missing.
  package static func loadedName(of files: [StoreFile]) -> FilePath {
    guard let main = files.first, main.role != .external else { return FilePath(manifestName) }
    return main.path.lastName ?? FilePath(manifestName)
  }

  /// Whether there is a database, which is copied.
  package func keepsUnread(of table: EntryTable) -> Bool {
    Self.loadedName(of: table.files) != FilePath(Self.manifestName)
  }

  /// Returns the entry itself, unless its key is unknown.
  package func fitRestored(_ entry: TypedEntry, of table: EntryTable) -> EntryFit {
    ValueFiles.fit(entry, of: table)
  }

  /// Writes a copy of the whole database on Android; on iOS, a new manifest with the files of the
  /// values that it lists.
  package func restore(
    _ entries: [TypedEntry], of table: EntryTable, in folder: FilePath,
    into files: inout PendingWrite
  ) throws(ConversionError) -> [String] {
    guard Self.loadedName(of: table.files) == FilePath(Self.manifestName) else {
      return try restoreDatabase(
        of: table, holding: entries, Self.table(of: table.files), in: folder, into: &files)
    }
    var manifest: [UInt8] = [UInt8(ascii: "{")]
    var encoded: [EncodedFile] = []
    for entry in entries {
      if manifest.count > 1 { manifest.append(UInt8(ascii: ",")) }
      JSONBytes.append(quoted: entry.key.text ?? "", to: &manifest)
      manifest.append(UInt8(ascii: ":"))
      if let text = Self.text(of: entry.value), text.utf16.count <= Self.maximumCount {
        JSONBytes.append(quoted: text, to: &manifest)
        continue
      }
      guard let name = digest(entry.key.bytes).map({ Hexadecimal.text($0) }) else {
        throw .library("the names of the files of values need MD5, which this build lacks")
      }
      manifest.append(contentsOf: "null".utf8)
      encoded.append(EncodedFile(.external, named: name, Self.bytes(of: entry.value)))
    }
    manifest.append(UInt8(ascii: "}"))
    encoded.insert(EncodedFile(.data, named: Self.manifestName, manifest), at: 0)
    do throws(FileError) {
      for file in encoded { try files.add(file.bytes, at: file.path(in: folder)) }
    } catch {
      throw .file(error)
    }
    return []
  }

  private static func text(of value: Value) -> String? {
    switch value {
    case .string(let text), .json(let text): text
    default: nil
    }
  }

  private static func bytes(of value: Value) -> [UInt8] {
    if case .bytes(let bytes) = value { return bytes }
    return Array((text(of: value) ?? "").utf8)
  }
}
