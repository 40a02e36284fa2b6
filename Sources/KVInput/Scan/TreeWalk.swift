package import KVModel
package import KVSystem
package import SystemPackage

/// A file that may be of a store: the one by which the store is named.
package struct ScanTarget: Sendable {
  /// The file; of a store of which there is a side file alone, that.
  package let path: FilePath
  /// Whether names alone say that it is a store's.
  package let isNamedAsStore: Bool
  /// Whether the user has named it, or one of its side files.
  package let isRequested: Bool
  /// The folder that it was found in; `nil` where the user has named it.
  let listing: FolderListing?

  /// Returns what its files are read from, none of them with more than `limit` bytes.
  package func source(limit: Int) -> any FileSource {
    listing.map { ListedSource($0, limit: limit) } ?? DiskSource(limit: limit)
  }
}

/// The files under some paths that may each be a store, folder by folder, those that names tell first.
///
/// Files that belong together by their names are one target. Links are not followed, but for those
/// that the user names.
package struct TreeWalk: IteratorProtocol {
  /// A step of the walk.
  package enum Step: Sendable {
    /// A file that may be of a store.
    case target(ScanTarget)
    /// A path that cannot be looked at.
    case failure(FilePath, FileError)
  }

  private var roots: AnyIterator<FilePath>
  private let isRootReady: () -> Bool
  /// Folders still to look at, the next one last.
  private var pending: [FilePath] = []
  /// The targets of the folder that was listed last, the next one last.
  private var targets: [ScanTarget] = []
  /// The stores that the user has named by one of their files.
  private var requested: Set<FilePath> = []

  /// A walk over `roots`, files or folders, in order; `isRootReady` says whether the next of them is there
  /// without waiting.
  package init(
    _ roots: some Sequence<FilePath>, isRootReady: @escaping () -> Bool = { true }
  ) {
    self.roots = AnyIterator(roots.makeIterator())
    self.isRootReady = isRootReady
  }

  /// Whether the next step is there without waiting for whoever names the paths.
  package var isReady: Bool { !targets.isEmpty || !pending.isEmpty || isRootReady() }

  /// The next step; `nil` after the last.
  package mutating func next() -> Step? {
    while targets.isEmpty {
      guard let folder = pending.popLast() else {
        guard let root = roots.next() else { return nil }
        if Folder.exists(root) {
          pending.append(root)
        } else if let target = target(named: root) {
          return .target(target)
        }
        continue
      }
      do throws(FileError) {
        try enter(folder)
      } catch {
        return .failure(folder, error)
      }
    }
    return targets.popLast().map(Step.target)
  }

  /// The target that the user means by `path`; `nil` where it was named before.
  private mutating func target(named path: FilePath) -> ScanTarget? {
    let main = StoreNames.main(of: path, isTaken: Folder.isTaken)
    guard requested.insert(main.lexicallyNormalized()).inserted else { return nil }
    return ScanTarget(
      path: main, isNamedAsStore: StoreNames.isOfLog(main, isTaken: Folder.isTaken),
      isRequested: true, listing: nil)
  }

  private mutating func enter(_ folder: FilePath) throws(FileError) {
    let contents = try Folder.contents(of: folder)
    pending += contents.folders.reversed().map { folder.appending($0) }
    let listing = FolderListing(of: folder, contents)
    var others: [ScanTarget] = []
    var named: [ScanTarget] = []
    for name in contents.files {
      let file = folder.appending(name)
      guard StoreNames.main(of: file, isTaken: listing.hasFile) == file else { continue }
      let isNamed = StoreNames.isOfLog(file, isTaken: listing.hasFile)
      // What a desktop's file manager leaves begins with a dot, and what apps keep seldom does.
      guard isNamed || !name.string.hasPrefix(".") else { continue }
      let target = ScanTarget(
        path: file, isNamedAsStore: isNamed, isRequested: false, listing: listing)
      if isNamed { named.append(target) } else { others.append(target) }
    }
    targets = (named + others).reversed()
  }
}
