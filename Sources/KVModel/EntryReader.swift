public import SystemPackage

/// A format without a log that typed entries are read from.
public protocol EntryReader: Sendable {
  /// The format's name, as `--format` takes it.
  static var name: String { get }

  /// Finds the files at `path` of `source`: one of them, or a folder that holds one store.
  ///
  /// - Throws: When there is nothing of the format there, or a file cannot be read; never because of
  ///   what is in the files.
  func discover(at path: FilePath, in source: any FileSource) throws(DiscoveryError) -> [StoreFile]

  /// How likely `files`, which ``discover(at:in:)`` found, are of this format.
  func recognition(of files: [StoreFile]) -> Recognition

  /// What the files hold; damage is no obstacle.
  func read(_ files: [StoreFile]) -> EntryTable
}

extension EntryReader {
  /// What `files` hold, with what is to be said of those that could not be read.
  public func table(_ files: [StoreFile]) -> EntryTable {
    let table = read(files)
    return EntryTable(
      formatName: table.formatName, files: table.files.read, entries: table.entries,
      findings: table.findings + files.unreadFindings)
  }
}
