import KVSystem
package import SystemPackage

/// What the names of files show about the stores that they belong to.
package enum StoreNames {
  /// How the meta file of MMKV ends, whose name goes on with that of the data file.
  package static let meta = ".crc"
  /// How the copies of a store of FastKV for Android end; the first that exists names the store.
  package static let copies = [".kva", ".kvb", ".kvc"]
  /// How files end that no format without a log has.
  package static let log = [meta] + copies + [".fkv"]
  /// How files end that databases, and apps before they replace a file, keep beside it.
  package static let companions = [".bak", "-wal", "-shm", "-journal"]
  /// How the file ends that FastKV for Android writes before it replaces a copy.
  static let temporary = ".tmp"

  /// Returns whether `path` has the name of a file that a store with a log has, or a meta file.
  static func isOfLog(_ path: FilePath, isTaken: (FilePath) -> Bool) -> Bool {
    log.contains { path.removing(suffix: $0) != nil } || isTaken(path.appending(suffix: meta))
  }

  /// Returns where a link to a store leads that the user has named, if the store's other files are not
  /// beside the link; `named` if they are, or it is no link.
  package static func followed(_ named: FilePath) -> FilePath {
    guard let target = Folder.target(of: named) else { return named }
    let sides = [meta] + companions
    let isCopy = copies.contains { target.removing(suffix: $0) != nil }
    let isElsewhere =
      isCopy && target.lastComponent != named.lastComponent
      || sides.contains { Folder.isTaken(target.appending(suffix: $0)) }
    let isHere = sides.contains { Folder.isTaken(named.appending(suffix: $0)) }
    return isElsewhere && !isHere ? target : named
  }

  /// Returns the file by which the store is named that `path` belongs to; `path` itself if there is no
  /// other.
  ///
  /// A store of MMKV can have any name: one that ends as the files beside a database do is a store of its
  /// own where it has a meta file, or what would be the database is a store with a log.
  static func main(of path: FilePath, isTaken: (FilePath) -> Bool) -> FilePath {
    // Most names have none of the endings, and are looked at once.
    let bytes = path.bytes
    func stem(without suffix: String) -> FilePath? {
      bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
        ? path.removing(suffix: suffix) : nil
    }
    if let stem = stem(without: meta) {
      // One that ends like a meta file and has one is a data file.
      return isTaken(stem) && !isTaken(path.appending(suffix: meta)) ? stem : path
    }
    for suffix in copies + [temporary] {
      guard let stem = stem(without: suffix) else { continue }
      return copies.lazy.map { stem.appending(suffix: $0) }.first(where: isTaken) ?? path
    }
    guard let main = companions.lazy.compactMap(stem).first(where: isTaken),
      !isOfLog(path, isTaken: isTaken), !isOfLog(main, isTaken: isTaken)
    else { return path }
    return main
  }
}
