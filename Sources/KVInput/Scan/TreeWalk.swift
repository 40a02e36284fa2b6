package import KVBytes
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
  /// The archive that it is in; `nil` for a file of the disk.
  let tree: (any MemberTree)?

  /// Returns what its files are read from, none of them with more than `limit` bytes.
  package func source(limit: Int) -> any FileSource {
    if let tree { return ArchiveSource(tree, limit: limit) }
    return listing.map { ListedSource($0, limit: limit) } ?? DiskSource(limit: limit)
  }

  /// Returns the archive that it is, if it begins with `head` and is one to look into; `nil` where it is
  /// none.
  package func archive(beginningWith head: FileImage) -> ArchiveFile? {
    guard isRequested || !ArchiveKind.isPackage(path) else { return nil }
    return ArchiveKind(head.bytes).map { ArchiveFile(path, $0, in: tree) }
  }
}

/// The files under some paths that may each be a store, folder by folder, those that names tell first.
///
/// Files that belong together by their names are one target. Links are not followed, but for those
/// that the user names, and those that are a store's by their names and stay in their folder.
package struct TreeWalk: IteratorProtocol {
  /// A step of the walk.
  package enum Step: Sendable {
    /// A file that may be of a store.
    case target(ScanTarget)
    /// A folder that is a backup, whose index names its files.
    case backup(ArchiveFile)
    /// A path that cannot be looked at.
    case failure(FilePath, FileError)
  }

  private var roots: AnyIterator<FilePath>
  private let isRootReady: () -> Bool
  /// Folders still to look at, the next one last.
  private var pending: [(path: FilePath, tree: (any MemberTree)?)] = []
  /// What cannot be read of archives that the user has named a part of.
  private var problems: [(path: FilePath, reason: String)] = []
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

  /// A walk over all that is in `tree`.
  package init(_ tree: any MemberTree) {
    self.init([])
    pending = tree.roots.reversed().map { ($0, tree) }
  }

  /// Whether the next step is there without waiting for whoever names the paths.
  package var isReady: Bool { !targets.isEmpty || !pending.isEmpty || isRootReady() }

  /// The next step; `nil` after the last.
  package mutating func next() -> Step? {
    while targets.isEmpty {
      guard let folder = pending.popLast() else {
        if let (path, reason) = problems.popLast() {
          return .failure(path, .member(path: path, reason: reason))
        }
        guard let root = roots.next() else { return nil }
        if let step = begin(root) { return step }
        continue
      }
      do throws(FileError) {
        if let step = try enter(folder.path, folder.tree) { return step }
      } catch {
        return .failure(folder.path, error)
      }
    }
    return targets.popLast().map(Step.target)
  }

  /// Begins with what the user means by `root`.
  ///
  /// - Returns: What it is, unless it is a folder, or was named before.
  private mutating func begin(_ root: FilePath) -> Step? {
    if Folder.exists(root) {
      pending.append((root, nil))
      return nil
    }
    do throws(FileError) {
      guard let place = try ArchivePlace(named: root) else {
        return target(named: StoreNames.followed(root), in: nil, isTaken: Folder.isTaken)
      }
      problems += place.tree.problems.reversed()
      if place.tree.isFolder(place.path) {
        pending.append((place.path, place.tree))
        return nil
      }
      return target(named: place.path, in: place.tree, isTaken: place.tree.isTaken)
    } catch {
      return .failure(root, error)
    }
  }

  /// The target that the user means by `path`; `nil` where it was named before.
  private mutating func target(
    named path: FilePath, in tree: (any MemberTree)?, isTaken: (FilePath) -> Bool
  ) -> Step? {
    let main = StoreNames.main(of: path, isTaken: isTaken)
    let place = tree == nil ? Folder.absolute(main) : main
    guard requested.insert(place.lexicallyNormalized()).inserted else { return nil }
    return .target(
      ScanTarget(
        path: main, isNamedAsStore: StoreNames.isOfLog(main, isTaken: isTaken),
        isRequested: true, listing: nil, tree: tree))
  }

  /// Looks for targets in `folder`.
  ///
  /// - Returns: The backup that it is; `nil` where it is none.
  private mutating func enter(
    _ folder: FilePath, _ tree: (any MemberTree)?
  ) throws(FileError) -> Step? {
    let contents: Folder.Contents
    if let tree {
      contents = tree.contents(of: folder)
    } else {
      contents = try Folder.contents(of: folder)
    }
    if let backup = ArchiveFile(backup: folder, contents, in: tree) { return .backup(backup) }
    pending += contents.folders.reversed().map { (folder.appending($0), tree) }
    let listing = FolderListing(of: folder, contents)
    let additions = tree?.additions(to: folder).map { names in
      Set(
        names.map { StoreNames.main(of: folder.appending($0), isTaken: listing.hasFile) })
    }
    var others: [ScanTarget] = []
    var named: [ScanTarget] = []
    let links = Self.links(in: folder, contents, listing)
    for file in links.map(\.path) + contents.files.map(folder.appending) {
      guard StoreNames.main(of: file, isTaken: listing.hasFile) == file,
        additions?.contains(file) ?? true,
        // What a link beside it stands for, the link's own line tells.
        !links.contains(where: { $0.target == file })
      else { continue }
      let isNamed = StoreNames.isOfLog(file, isTaken: listing.hasName)
      // What a desktop's file manager leaves begins with a dot, and what apps keep seldom does.
      let isHidden = file.lastComponent?.string.hasPrefix(".") ?? false
      guard isNamed || !isHidden && !(tree?.isPassedOver(file) ?? false) else { continue }
      let target = ScanTarget(
        path: file, isNamedAsStore: isNamed, isRequested: false, listing: listing,
        tree: tree)
      if isNamed { named.append(target) } else { others.append(target) }
    }
    targets = (named + others).reversed()
    return nil
  }

  /// What in `folder` is no file, and names a store: that of a file beside it, or one to which it leads
  /// within the folder.
  private static func links(
    in folder: FilePath, _ contents: Folder.Contents, _ listing: FolderListing
  ) -> [(path: FilePath, target: FilePath?)] {
    guard !contents.others.isEmpty else { return [] }
    let mains = Set(
      contents.files.map { StoreNames.main(of: folder.appending($0), isTaken: listing.hasFile) })
    return contents.others.compactMap { name in
      let path = folder.appending(name)
      let target = Folder.target(of: path)?.lastComponent.map(folder.appending)
        .flatMap { $0 != path && Folder.isSame($0, path) ? $0 : nil }
      let isWithin = target != nil && StoreNames.isOfLog(path, isTaken: listing.hasFile)
      return mains.contains(path) || isWithin ? (path, target) : nil
    }
  }
}
