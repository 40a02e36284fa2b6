import KVBytes
package import KVModel
import KVSystem
package import SystemPackage

extension DataStoreFormat: EntryReader {
  /// The names of the roles that this format adds.
  package static var roleNames: [FileRole: String] { [.side: "meta"] }

  /// Finds the file at `path`, or the only one in the folder at `path`, and its temporary file.
  ///
  /// - Throws: An error if there is no file or more than one, or if a file cannot be read.
  package func discover(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> [StoreFile] {
    let file = try FileReading.path(in: source, at: path, format: Self.name) {
      $0.hasSuffix(Self.suffix)
    }
    var files = [try source.file(at: file)]
    let temporary = file.appending(suffix: Self.temporarySuffix)
    if source.isTaken(temporary), !source.isFolder(temporary) {
      files.append(source.file(.side, at: temporary, in: source.folder(of: file, named: path)))
    }
    return files
  }

  /// Returns how likely it is that `files` are a DataStore.
  ///
  /// The result depends on whether the whole file parses, and on its name, which no other files
  /// have. A cleared DataStore has no bytes at all.
  package func recognition(of files: [StoreFile]) -> Recognition {
    guard let file = files.first else { return Recognition(0, because: ["there is no file"]) }
    let isNamed = file.path.string.hasSuffix(Self.suffix)
    let name = "the name \(isNamed ? "ends" : "does not end") in \(Self.suffix)"
    var reader = DataStoreReader()
    reader.read(file)
    let count = reader.entries.all.count
    if reader.findings.hasDamage {
      return Recognition(
        isNamed ? 70 : count > 0 ? 10 : 0,
        because: [name, "only a part, with \(count.grouped) entries, is a map of preferences"])
    }
    guard count > 0 else { return Recognition(isNamed ? 70 : 0, because: [name, "it is empty"]) }
    return Recognition(
      isNamed ? 90 : 60, because: [name, "it is a map of \(count.grouped) preferences"])
  }

  /// Returns the entries.
  ///
  /// An entry that cannot be read is left out, with a finding.
  package func read(_ files: [StoreFile]) -> EntryTable {
    var reader = DataStoreReader()
    if let file = files.first { reader.read(file) }
    for file in files.dropFirst() where file.path.string.hasSuffix(Self.temporarySuffix) {
      reader.findings.add(
        Finding(
          DataStoreFindings.temporary, at: Extent(file.role, file.image.range),
          "\(file.path.lastComponent?.string ?? "") was left by an unfinished write; "
            + "the library replaces it"))
    }
    return EntryTable(
      formatName: Self.name, files: files, entries: reader.entries.all,
      findings: reader.findings.all)
  }
}
