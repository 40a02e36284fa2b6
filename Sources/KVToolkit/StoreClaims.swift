import KVInput
package import KVRecovery
import KVSystem
import SystemPackage

/// The files of the stores that have been reported.
package struct StoreClaims {
  private let keepsAll: Bool
  /// The first file of each store.
  private var mains: Set<FilePath> = []
  /// All files of the stores.
  private var paths: Set<FilePath> = []

  /// Creates claims without files.
  ///
  /// Without `keepsAll`, only stores are remembered whose files are not one by their names.
  package init(all keepsAll: Bool) { self.keepsAll = keepsAll }

  /// Claims the files of `outcome`, and returns `true` unless it is about a file of an earlier
  /// store.
  package mutating func isNew(_ outcome: StoreOutcome) -> Bool {
    // The paths that users name may be absolute, or relative to the current folder.
    func place(_ path: FilePath) -> FilePath {
      (keepsAll ? Folder.absolute(path) : path).lexicallyNormalized()
    }
    if !keepsAll, paths.isEmpty, outcome.isPair { return true }
    let path = place(outcome.path)
    // A store of MMKV may be named like a file of an earlier store, and has a meta file.
    let isClaimed = paths.contains(path)
    let isApart =
      isClaimed && !mains.contains(path)
      && outcome.files.contains(outcome.path.appending(suffix: StoreNames.meta))
    guard isApart || !isClaimed else { return false }
    if keepsAll, !isApart, let main = outcome.files.first, paths.contains(place(main)) {
      return false
    }
    // A data file and its side file are one target already. With more files, or files in a folder
    // of the store, one of them may lead to the store again.
    let folder = outcome.path.parent
    if keepsAll || outcome.files.count > 2
      || outcome.files.contains(where: { $0.parent != folder })
    {
      mains.insert(path)
      paths.insert(path)
      paths.formUnion(outcome.files.map(place))
    }
    return true
  }
}

extension StoreOutcome {
  /// Whether the files are a data file and the meta file beside it, which are one target of a walk.
  fileprivate var isPair: Bool {
    files.count == 2 && files[0] == path
      && files[1].bytes == files[0].bytes + StoreNames.meta.utf8
  }
}
