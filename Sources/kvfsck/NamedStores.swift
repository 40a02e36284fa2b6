import KVBytes
import KVInput
import KVModel
import KVSystem
import SystemPackage

/// The stores that the paths of a command line have led to so far, so that each is reported once.
struct NamedStores {
  private var paths: Set<FilePath> = []
  private var files: Set<FilePath> = []
  private var folders: Set<FilePath> = []

  /// Returns whether `path` was not named before.
  mutating func isNew(_ path: FilePath) -> Bool { paths.insert(Self.place(of: path)).inserted }

  /// Returns whether `path` may lead to a store that another path has led to.
  ///
  /// Its files decide: a file that is named like the side file of a store may be a copy of it.
  func mayRepeat(_ path: FilePath) -> Bool {
    let main = StoreNames.main(of: path, isTaken: Folder.isTaken)
    return files.contains(Self.place(of: main)) || folders.contains(Self.place(of: path))
      || path.bytes.contains(UInt8(ascii: "!")) && !files.isEmpty
  }

  /// Returns whether a path has led to the store that consists of `found`.
  func includes(_ found: [StoreFile]) -> Bool {
    found.first.map { files.contains(Self.place(of: $0.path)) } ?? false
  }

  /// Adds the files of stores that were reported.
  mutating func add(_ found: some Sequence<FilePath>) {
    for place in found.map(Self.place) {
      files.insert(place)
      folders.insert(place.parent)
    }
  }

  /// The path from the root on, since the same file can be named from different folders.
  private static func place(of path: FilePath) -> FilePath {
    Folder.absolute(path).lexicallyNormalized()
  }
}
