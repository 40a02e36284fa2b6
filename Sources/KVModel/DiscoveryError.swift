public import KVBytes
public import SystemPackage

/// Why no store could be opened at a path.
public enum DiscoveryError: Error, Hashable, Sendable {
  /// A file could not be read.
  case file(FileError)
  /// The folder holds nothing that looks like a store.
  case noStore(in: FilePath, format: String)
  /// The folder holds more than one store; these are their names.
  case severalStores(in: FilePath, names: [String])
  /// No store has one of these ids; these paths were tried.
  case noSuchID([String], tried: [FilePath])

  /// What went wrong and what to do next, in a sentence for people.
  public var message: String {
    switch self {
    case .file(let error): error.message
    case .noStore(let folder, let format):
      "\(folder) holds no \(format) store: no data file and no side file was found in it"
    case .severalStores(let folder, let names):
      "\(folder) holds \(names.count) stores; name one of them: "
        + names.prefix(5).joined(separator: ", ") + (names.count > 5 ? ", …" : "")
    case .noSuchID(let ids, let tried):
      "there is no store with the id \(ids.map { "\"\($0)\"" }.joined(separator: " or ")); tried "
        + tried.map(\.string).joined(separator: ", ")
    }
  }
}
