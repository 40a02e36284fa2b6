import KVSystem
import SystemPackage

/// Names for folders that are not there yet, each proposed once in a run.
struct NewFolders {
  private var proposed: Set<FilePath> = []

  /// A name like `name` that nothing in the working folder has.
  mutating func next(_ name: String) -> String {
    var number = 1
    while true {
      let candidate = number == 1 ? name : "\(name)-\(number)"
      let path = FilePath(candidate)
      if !Folder.isTaken(path), proposed.insert(path).inserted { return candidate }
      number += 1
    }
  }
}
