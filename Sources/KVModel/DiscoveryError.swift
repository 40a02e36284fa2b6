public import KVBytes
public import SystemPackage

/// Why no store could be opened at a path.
public enum DiscoveryError: Error, Hashable, Sendable {
  /// A file could not be read.
  case file(FileError)
  /// A side file is there and cannot be read, without which the store at `data` cannot be judged.
  case sideFile(FileError, of: FilePath)
  /// The folder holds nothing that looks like a store.
  case noStore(in: FilePath, format: String)
  /// The folder holds more than one store; these are their names.
  case severalStores(in: FilePath, names: [String])
  /// The file is no store, but something that kvfsck wrote, which is named with its article.
  case ownOutput(FilePath, kind: String)
  /// The folder has files, and no format knows one of them; these are some of their names.
  case nothingKnown(in: FilePath, names: [String], count: Int)
  /// The store would be replaced, and it is not certain enough that it is one of this format.
  case uncertain(FilePath, reason: String)
  /// No store has one of these ids; these paths were tried.
  case noSuchID([String], tried: [FilePath])

  /// Whether there is a file that cannot be read, so that what another format makes of the rest, or of a
  /// second try, is no explanation.
  public var isObstacle: Bool {
    switch self {
    case .sideFile: true
    case .file(.system(_, _, let errno)): ![.noSuchFileOrDirectory, .notDirectory].contains(errno)
    case .file(.tooLarge), .file(.changedWhileRead), .file(.leadsOut): true
    default: false
    }
  }

  /// What went wrong and what to do next, in a sentence for people.
  public var message: String {
    switch self {
    case .file(let error): error.message
    case .sideFile(let error, let data):
      "\(error.cause), so size and checksum of \(data.text) are not known, and nothing is decided about "
        + "it. Put the right file there; or copy \(data.text) alone to another folder, to read it "
        + "without"
    case .noStore(let folder, let format):
      "\(folder.text) holds no \(format) store: no data file and no side file was found in it"
    case .severalStores(let folder, let names):
      "\(folder.text) holds \(names.count) stores; name one of them: "
        + names.prefix(20).joined(separator: ", ") + (names.count > 20 ? ", …" : "")
    case .ownOutput(let path, let kind):
      "\(path.text) is \(kind), and no store: name the store that it was made from"
    case .nothingKnown(let folder, let names, let count):
      "\(folder.text) holds \(count) files, none of which is known to be a store: "
        + names.joined(separator: ", ") + (count > names.count ? ", …" : "")
        + "; name one of them to have it read all the same"
    case .uncertain(let path, let reason):
      "\(path.text) is not replaced: \(reason). Write the new files into another folder"
    case .noSuchID(let ids, let tried):
      "there is no store with the id \(ids.map { "\"\($0)\"" }.joined(separator: " or ")); tried "
        + tried.map(\.text).joined(separator: ", ")
    }
  }
}
