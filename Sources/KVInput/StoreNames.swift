import ExchangeFormats
import KVModel
import KVSystem
package import SystemPackage

/// The rules by which the names of files show the stores that they belong to.
///
/// They look at the bytes of a path. In a folder that was listed, they look at those of the name alone,
/// as making a path for each question takes longer than the answer.
package enum StoreNames {
  /// The suffix that MMKV appends to a data file's name for its meta file.
  package static let meta = ".crc"
  /// The suffixes of a store's copies in FastKV for Android; the first copy that exists names the
  /// store.
  static let copies = [".kva", ".kvb", ".kvc"]
  /// The suffixes that only formats with a log use.
  package static let log = [meta] + copies + [".fkv"]
  /// The suffixes of the files that databases, or apps that replace a file, keep beside the file.
  static let companions = [".bak", "-wal", "-shm", "-journal"]
  /// The suffix of the file that FastKV for Android writes before it replaces a copy, and DataStore
  /// before it replaces a file.
  static let temporary = ".tmp"
  /// The suffix of DataStore's files.
  private static let dataStore = ".preferences_pb"

  /// The ends of the names of files that belong to another one.
  private static let ends = ([meta, temporary] + copies + companions).map { Array($0.utf8) }
  /// The suffixes as bytes, because each name is compared with them.
  private static let (logEnds, metaEnd) = (log.map { Array($0.utf8) }, Array(meta.utf8))

  /// Returns whether a path with these bytes is named like a file that belongs to another one.
  static func isSide(_ bytes: [UInt8]) -> Bool {
    ends.contains { bytes.suffix($0.count).elementsEqual($0) }
  }

  /// Returns whether there are files beside `path` that are named like those that belong to it.
  static func hasSides(_ path: FilePath, isTaken: (FilePath) -> Bool) -> Bool {
    ([meta, temporary] + copies + companions).contains { isTaken(path.appending(suffix: $0)) }
  }

  /// Returns whether `path` is named like a file of a store with a log, or has a meta file.
  static func isOfLog(_ path: FilePath, isTaken: (FilePath) -> Bool) -> Bool {
    isOfLog(path.bytes) { isTaken(FilePath(bytes: $0)) }
  }

  /// Returns whether the file with the name `name` in the folder with `listing` is named like a file of
  /// a store with a log, or has a meta file.
  static func isOfLog(_ name: [UInt8], in listing: FolderListing) -> Bool {
    listing.mayHaveMeta ? isOfLog(name, isTaken: listing.hasName) : hasLogSuffix(name)
  }

  private static func isOfLog(_ name: [UInt8], isTaken: ([UInt8]) -> Bool) -> Bool {
    hasLogSuffix(name) || isTaken(name + metaEnd)
      || RenamedPair.sides(of: name, suffix: meta).contains(where: isTaken)
  }

  /// Returns whether `path` is named like a file of a store with a log, whatever is beside it.
  package static func hasLogSuffix(_ path: FilePath) -> Bool { hasLogSuffix(path.bytes) }

  private static func hasLogSuffix(_ name: [UInt8]) -> Bool {
    logEnds.contains { name.suffix($0.count).elementsEqual($0) }
  }

  /// Returns whether a file with a name of these bytes may be a meta file, also one that was renamed.
  static func mayBeMeta(_ bytes: [UInt8]) -> Bool {
    bytes.indices.contains { start in
      bytes[start] == metaEnd[0]
        && bytes[start...].prefix(metaEnd.count).elementsEqual(metaEnd) { $0 | 0x20 == $1 }
    }
  }

  /// Returns whether `name` is one that FastKV for Android gives to the file of a long value, in a
  /// folder beside the store's copies: 32 digits.
  static func isValue(_ name: FilePath.Component) -> Bool {
    let name = name.string.utf8
    let digits =
      name.count == 36 && name.suffix(4).elementsEqual(temporary.utf8)
      ? name.dropLast(4) : name[...]
    return digits.count == 32
      && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  /// Returns whether `link`, a link to the file `target` in the same folder, is only a second name of
  /// it: the store's other files are beside the target, or beside neither.
  static func isAlias(_ link: FilePath, of target: FilePath, isTaken: (FilePath) -> Bool) -> Bool {
    !isOfLog(link, isTaken: isTaken) || isOfLog(target, isTaken: isTaken)
  }

  /// Returns the same for two names in the folder with `listing`.
  static func isAlias(_ link: [UInt8], of target: [UInt8], in listing: FolderListing) -> Bool {
    !isOfLog(link, isTaken: listing.hasFile) || isOfLog(target, isTaken: listing.hasFile)
  }

  /// Returns the target of the link `named` if the store's other files are beside the target and
  /// not beside the link; otherwise returns `named`.
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

  /// Returns a file that is there and to whose store new files at `paths` would seem to belong, by
  /// their names; `nil` if they would be on their own.
  package static func store(joinedBy paths: [FilePath]) -> FilePath? {
    for path in paths {
      let others = [main(of: path, isTaken: Folder.isTaken), path.appending(suffix: meta)]
      let other = others.first { !paths.contains($0) && Folder.isTaken($0) }
      if let other { return other }
    }
    return nil
  }

  /// Returns the file that names the store to which `path` belongs, which is `path` itself if there
  /// is no other.
  ///
  /// A store of MMKV can have any name. A file that is named like a file beside another is a store if
  /// it has a meta file; one that is named like a database's side file is one too if the presumed
  /// database belongs to a store with a log.
  package static func main(of path: FilePath, isTaken: (FilePath) -> Bool) -> FilePath {
    otherMain(of: path.bytes) { isTaken(FilePath(bytes: $0)) }.map { FilePath(bytes: $0) } ?? path
  }

  /// Returns the bytes of the same for the file with the name `name` in the folder with `listing`;
  /// `nil` if there is no other.
  static func otherMain(of name: [UInt8], in listing: FolderListing) -> [UInt8]? {
    otherMain(of: name, isTaken: listing.hasFile)
  }

  private static func otherMain(of name: [UInt8], isTaken: ([UInt8]) -> Bool) -> [UInt8]? {
    guard isSide(name) else { return nil }
    if let stem = stem(of: name, without: meta) {
      // A file with the suffix of a meta file is a data file if it has a meta file itself.
      return isTaken(stem) && !isTaken(name + metaEnd) ? stem : nil
    }
    for suffix in copies + [temporary] {
      guard let stem = stem(of: name, without: suffix) else { continue }
      guard !isTaken(name + metaEnd) else { return nil }
      // DataStore, too, writes a temporary file before it replaces the other one.
      if suffix == temporary, stem.suffix(dataStore.utf8.count).elementsEqual(dataStore.utf8) {
        return isTaken(stem) ? stem : nil
      }
      let first = copies.lazy.map { stem + $0.utf8 }.first(where: isTaken)
      return first == name ? nil : first
    }
    guard
      let main = companions.lazy.compactMap({ stem(of: name, without: $0) }).first(where: isTaken),
      !isOfLog(name, isTaken: isTaken), !isOfLog(main, isTaken: isTaken)
    else { return nil }
    return main
  }

  /// Returns `name` without `suffix` at its end; `nil` if it does not end in it, or is no more.
  private static func stem(of name: [UInt8], without suffix: String) -> [UInt8]? {
    let stem = name.dropLast(suffix.utf8.count)
    guard name.suffix(suffix.utf8.count).elementsEqual(suffix.utf8),
      stem.last.map({ $0 != UInt8(ascii: "/") }) ?? false
    else { return nil }
    return Array(stem)
  }
}
