import KVBytes
package import KVModel
import KVSystem
package import SystemPackage

extension DataStoreFormat: EntryReader {
  /// The names of the roles that this format adds.
  package static var roleNames: [FileRole: String] { [.side: "meta"] }

  /// Returns whether the file is named like a DataStore or its temporary file, as no other files
  /// are.
  package static func keepsFile(at location: FileLocation) -> Bool {
    location.name.hasSuffix(suffix) || location.name.hasSuffix(suffix + temporarySuffix)
  }

  /// Finds the file at `path`, or the only one in the folder at `path`, and its temporary file.
  ///
  /// The file that the library loads comes first. If only the temporary file exists, it is read.
  ///
  /// - Throws: An error if there is no file or more than one, or if a file cannot be read.
  package func discover(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> [StoreFile] {
    let found: FilePath
    do throws(DiscoveryError) {
      found = try FileReading.path(in: source, at: path, format: Self.name) {
        $0.hasSuffix(Self.suffix)
      }
    } catch .noStore {
      found = try FileReading.path(in: source, at: path, format: Self.name) {
        $0.hasSuffix(Self.suffix + Self.temporarySuffix)
      }
    }
    let isTemporary = found.string.hasSuffix(Self.suffix + Self.temporarySuffix)
    let file = (isTemporary ? found.removing(suffix: Self.temporarySuffix) : nil) ?? found
    guard source.isTaken(file) || !isTemporary else { return [try source.file(at: found)] }
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
    let isNamed = [Self.suffix, Self.suffix + Self.temporarySuffix].contains {
      file.path.string.hasSuffix($0)
    }
    let name = "the name \(isNamed ? "is" : "is not") that of a \(Self.suffix)"
    var reader = DataStoreReader(file)
    reader.read()
    let count = reader.entries.all.count
    if reader.findings.hasDamage {
      return Recognition(
        isNamed ? 70 : count > 0 ? 10 : 0,
        because: [
          name, "only a part, with \(count.counted("entry", "entries")), is a map of preferences",
        ])
    }
    guard count > 0 else { return Recognition(isNamed ? 70 : 0, because: [name, "it is empty"]) }
    // Other messages of one entry look the same, but not of several.
    return Recognition(
      isNamed ? 90 : count > 1 ? 75 : 60,
      because: [name, "it is a map of \(count.grouped) preferences"])
  }

  /// Returns the entries of the first file, and the other one as a version of it.
  ///
  /// An entry that cannot be read is left out, with a finding.
  package func read(_ files: [StoreFile]) -> EntryTable {
    guard let file = files.first else {
      return EntryTable(formatName: Self.name, files: files, entries: [], findings: [])
    }
    var reader = DataStoreReader(file)
    reader.read()
    let entries = reader.entries.all
    let versions = files.read.dropFirst().map(Self.version)
    if let finding = Self.finding(about: file, entries, versions) { reader.findings.add(finding) }
    return EntryTable(
      formatName: Self.name, files: files, entries: entries, findings: reader.findings.all,
      versions: versions.isEmpty ? Self.missing(beside: file) : versions,
      isRefused: reader.isRefused)
  }

  /// Returns what `DataStore` does, which depends on whether the app has a corruption handler; Flutter's
  /// shared_preferences has none.
  package static func refusals(of table: EntryTable) -> [LibraryRefusal]? {
    let error = "CorruptionException"
    if loadedName(of: table.files).name == "FlutterSharedPreferences" + suffix {
      return [.throwing(error)]
    }
    return [
      .throwing(error, if: "without a corruption handler"),
      .startsEmpty(
        writes: ["replaces the file by what the handler returns, usually nothing"],
        callbacks: ["ReplaceFileCorruptionHandler"], if: "with a corruption handler"),
    ]
  }

  private static func version(_ file: StoreFile) -> EntryVersion {
    var reader = DataStoreReader(file)
    reader.read()
    return EntryVersion(
      at: file.path, reader.entries.all, isWhole: !reader.findings.hasDamage,
      file.path.string.hasSuffix(temporarySuffix) ? .ignored : .loaded)
  }

  /// Returns the version that the library loads if there is only the temporary file: one without
  /// entries.
  private static func missing(beside file: StoreFile) -> [EntryVersion] {
    guard let main = file.path.removing(suffix: temporarySuffix) else { return [] }
    return [EntryVersion(at: main, [], isWhole: true, isReadable: false, .loaded)]
  }

  /// Returns the finding about the temporary file, if there is one.
  private static func finding(
    about file: StoreFile, _ entries: [TypedEntry], _ versions: [EntryVersion]
  ) -> Finding? {
    guard file.path.string.hasSuffix(temporarySuffix) else {
      guard let version = versions.first else { return nil }
      let name = version.path.lastComponent?.string ?? ""
      let count = version.entries.count(notIn: entries)
      return Finding(
        DataStoreFindings.temporary, at: Extent(.side, 0..<0),
        "\(name) was left by a write that did not finish"
          + (version.isWhole ? ", and is whole" : ", and is damaged")
          + ": \(version.entries.count.counted("entry", "entries")), \(count.grouped) of which are not the same in "
          + "\(file.path.lastComponent?.string ?? ""). The library replaces it at its next write: keep a copy"
      )
    }
    let main = file.path.removing(suffix: temporarySuffix)?.lastComponent?.string ?? ""
    return Finding(
      DataStoreFindings.temporary, at: Extent(file.role, file.image.range),
      "this file was left by a write that did not finish; the app loads only \(main)"
        + (versions.isEmpty
          ? ", and starts with no preferences if the device has no such file either" : ""))
  }
}
