package import KVBytes
package import KVModel
package import KVSystem
package import SystemPackage

/// A file that may be a store or belong to one, and whose name is the name of the store.
package struct ScanTarget: Sendable {
  /// The path of the file, which is a side file if the store has no other.
  package let path: FilePath
  /// Whether the name alone shows that the file belongs to a store.
  package let isNamedAsStore: Bool
  /// Whether the user named the file, or one of its side files.
  package let isRequested: Bool
  /// The folder in which it was found; `nil` if the user named it.
  let listing: FolderListing?
  /// The archive that contains it; `nil` for a file on disk.
  let tree: (any MemberTree)?

  /// Whether the target's files may be part of unfinished output.
  package var mayBeUnfinished: Bool { tree == nil && listing?.hasUnfinished ?? true }

  /// Returns a source for the target's files that reads none with more than `limit` bytes.
  package func source(limit: Int) -> any FileSource {
    if let tree { return ArchiveSource(tree, listing, limit: limit) }
    return listing.map { ListedSource($0, limit: limit) } ?? DiskSource(limit: limit)
  }

  /// Returns whether the target, whose first bytes are `head`, is an empty file on its own, which has
  /// no format by its bytes, nor by the files beside it.
  package func isEmptyAlone(_ head: FileImage, in source: any FileSource) -> Bool {
    head.count == 0 && !isNamedAsStore && !isRequested
      && !(listing?.hasSides ?? true && StoreNames.hasSides(path, isTaken: source.isTaken))
  }

  /// Returns the archive that the target is, if it begins with `head`; `nil` if it is not an
  /// archive, or if the scan does not search it, as it does programs and documents only if they are
  /// wanted.
  package func archive(
    beginningWith head: FileImage, wantsPackages: Bool = false
  ) -> ArchiveFile? {
    guard isRequested || wantsPackages || !ArchiveKind.isPackage(path) else { return nil }
    return ArchiveFile(path, beginningWith: head, in: tree)
  }
}

/// A folder that a walk has still to list.
private struct PendingFolder {
  let path: FilePath
  let tree: (any MemberTree)?
  /// The path without links, in an archive or if the folder above it was listed; to look it up takes
  /// time with the square of its depth.
  let location: FilePath?

  init(_ path: FilePath, in tree: (any MemberTree)?, at location: FilePath? = nil) {
    self.path = path
    self.tree = tree
    self.location = tree == nil ? location : path
  }
}

/// A walk over the files below some paths, each of which may be a store.
///
/// Folders are visited one after another, and in each folder the files named like stores come
/// first. Files whose names belong together are one target. The only links that are followed are
/// those that the user names, and those that are the only name of a store in the same folder; see
/// ``StoreNames/isAlias(_:of:isTaken:)``.
package struct TreeWalk: IteratorProtocol {
  /// A step of the walk.
  package enum Step: Sendable {
    /// A file that may belong to a store.
    case target(ScanTarget)
    /// A folder that is a backup, whose index lists its files.
    case backup(ArchiveFile)
    /// A path that cannot be examined.
    case failure(FilePath, FileError)
  }

  /// Whether a part of an archive may have been named: the problems of its files are steps of their
  /// own, after those of the files.
  package let mayBePart: Bool
  /// Whether files in archives that are no stores by their first bytes are targets too.
  private var wantsMedia = false
  private var roots: AnyIterator<FilePath>
  private let isRootReady: () -> Bool
  /// The folders still to be entered, the next one last.
  private var pending: [PendingFolder] = []
  /// What cannot be read in archives of which the user has named a part.
  private var problems: [(path: FilePath, reason: String)] = []
  /// The targets in the folder that was listed last, the next one last.
  private var targets: [ScanTarget] = []
  /// The number of files in the folders that were listed.
  private var listedCount = 0
  /// The paths of the stores that the user has named by one of their files.
  private var requested: Set<FilePath> = []
  /// The folder of a backup that is walked like any other folder.
  private var backup: FilePath?
  /// The files of the backup that its index has, which are found by their names on the device.
  private var indexed: Set<FilePath> = []

  /// Creates a walk over `roots`, which are files or folders, in order; `isRootReady` returns
  /// whether the next root is available without waiting.
  package init(
    _ roots: some Sequence<FilePath>, isRootReady: @escaping () -> Bool = { true }
  ) {
    mayBePart = (roots as? [FilePath])?.contains { $0.bytes.contains(UInt8(ascii: "!")) } ?? true
    self.roots = AnyIterator(roots.makeIterator())
    self.isRootReady = isRootReady
  }

  /// Creates a walk over everything in `tree`, except media and programs unless they are wanted.
  package init(_ tree: any MemberTree, wantsMedia: Bool = false) {
    self.init([])
    self.wantsMedia = wantsMedia
    pending = tree.roots.reversed().map { PendingFolder($0, in: tree) }
  }

  /// Creates a walk over the files in the folder of a backup, which is in `tree` or on disk, except
  /// those that are `indexed`.
  init(backup: FilePath, in tree: (any MemberTree)?, except indexed: Set<FilePath>) {
    self.init([])
    pending = [PendingFolder(backup, in: tree)]
    self.backup = backup
    self.indexed = indexed
  }

  /// Whether the next step is available without waiting for the next root.
  package var isReady: Bool { !targets.isEmpty || !pending.isEmpty || isRootReady() }

  /// The number of files on disk that the walk has passed.
  package var passedCount: Int { listedCount - targets.count }

  /// Returns the number of files in the folders below `roots`, as ``passedCount`` counts them.
  package static func fileCount(below roots: [FilePath]) -> Int {
    var pending = roots.filter(Folder.exists)
    var count = roots.count - pending.count
    while let folder = pending.popLast() {
      guard let contents = try? Folder.contents(of: folder) else { continue }
      count += contents.files.count
      guard ArchiveFile(backup: folder, contents, in: nil) == nil else { continue }
      pending += contents.folders.filter { !BackupName.matches($0) }.map { folder.appending($0) }
    }
    return count
  }

  /// Returns the next step; `nil` after the last.
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
        if let step = try enter(folder) { return step }
      } catch {
        return .failure(folder.path, error)
      }
    }
    return targets.popLast().map(Step.target)
  }

  /// Begins with `root`, a path that the user has named.
  ///
  /// - Returns: The step for the path; `nil` if it is a folder or was named before.
  private mutating func begin(_ root: FilePath) -> Step? {
    if Folder.exists(root) {
      pending.append(PendingFolder(root, in: nil))
      return nil
    }
    do throws(FileError) {
      guard let place = try ArchivePlace(named: root) else {
        return target(named: StoreNames.followed(root), in: nil, isTaken: Folder.isTaken)
      }
      problems += place.tree.problems(of: place.path).reversed()
      if place.tree.isFolder(place.path) {
        pending += place.tree.layers(of: place.path).reversed().map {
          PendingFolder($0, in: place.tree)
        }
        return nil
      }
      return target(named: place.path, in: place.tree, isTaken: place.tree.isTaken)
    } catch {
      return .failure(root, error)
    }
  }

  /// Returns the target that the user means by `path`; `nil` if it was named before.
  private mutating func target(
    named path: FilePath, in tree: (any MemberTree)?, isTaken: (FilePath) -> Bool
  ) -> Step? {
    let main = StoreNames.main(of: path, isTaken: isTaken)
    let place = tree == nil ? Folder.absolute(main) : main
    guard requested.insert(place.lexicallyNormalized()).inserted else { return nil }
    listedCount += 1
    return .target(
      ScanTarget(
        path: main, isNamedAsStore: StoreNames.isOfLog(main, isTaken: isTaken),
        isRequested: true, listing: nil, tree: tree))
  }

  /// Searches `folder` for targets.
  ///
  /// - Returns: The step for the folder if it is a backup; otherwise `nil`.
  private mutating func enter(_ pending: PendingFolder) throws(FileError) -> Step? {
    let (folder, tree) = (pending.path, pending.tree)
    var contents: Folder.Contents
    if let tree {
      contents = tree.contents(of: folder)
    } else {
      contents = try Folder.contents(of: folder)
    }
    if tree == nil { listedCount += contents.files.count }
    if folder != backup, let backup = ArchiveFile(backup: folder, contents, in: tree) {
      return .backup(backup)
    }
    if !indexed.isEmpty { contents.files.removeAll { indexed.contains(folder.appending($0)) } }
    // Backups that a repair in place has made are skipped, because no app opens them.
    let location = pending.location ?? Folder.resolved(folder.isEmpty ? "." : folder)
    self.pending += contents.folders.reversed().filter { !BackupName.matches($0) }
      .map { PendingFolder(folder.appending($0), in: tree, at: location.appending($0)) }
    // A small archive can have very many folders that contain folders only.
    guard !contents.files.isEmpty || !contents.others.isEmpty else { return nil }
    let listing = FolderListing(of: folder, at: location, contents)
    var others: [ScanTarget] = []
    var named: [ScanTarget] = []
    let isTaken = { (path: FilePath) in tree?.isTaken(path) ?? Folder.isTaken(path) }
    // The store beside the folder is found by its copies, and read with its values.
    lazy var holdsValues = StoreNames.copies.contains { isTaken(folder.appending(suffix: $0)) }
    for name in Self.mains(in: folder, contents, listing, tree) {
      let file = folder.appending(name)
      let isNamed = StoreNames.isOfLog(name.bytes, in: listing)
      guard isNamed || wantsMedia || !(tree?.isPassedOver(file) ?? false) else { continue }
      if !isNamed, StoreNames.isValue(name), holdsValues { continue }
      let target = ScanTarget(
        path: file, isNamedAsStore: isNamed, isRequested: false, listing: listing,
        tree: tree)
      if isNamed { named.append(target) } else { others.append(target) }
    }
    targets = (named + others).reversed()
    return nil
  }

  /// Returns the files in `folder` that do not belong to another one, each of which may be a store.
  private static func mains(
    in folder: FilePath, _ contents: Folder.Contents, _ listing: FolderListing,
    _ tree: (any MemberTree)?
  ) -> [FilePath.Component] {
    let additions = tree?.additions(to: folder).map { mains(of: $0, listing) }
    let links = links(in: folder, contents, listing, tree)
    let linked = Set(links.compactMap(\.target))
    return (links.map(\.name) + contents.files).filter { name in
      let bytes = name.bytes
      return StoreNames.otherMain(of: bytes, in: listing) == nil
        && additions?.contains(bytes) ?? true
        // If a link leads to this file, the link is the target.
        && !linked.contains(bytes)
    }
  }

  /// Returns the names of the files in the folder with `listing` that name the stores of `names`.
  private static func mains(
    of names: some Sequence<FilePath.Component>, _ listing: FolderListing
  ) -> Set<[UInt8]> {
    Set(names.map { StoreNames.otherMain(of: $0.bytes, in: listing) ?? $0.bytes })
  }

  /// Returns the links and other special files in `folder` that name a store, with the names of the
  /// targets of the links that are the only names of a store.
  ///
  /// These are the files that have the main name of files beside them, and the links to a file in
  /// the same folder that are named like a store, whereas the file is not.
  private static func links(
    in folder: FilePath, _ contents: Folder.Contents, _ listing: FolderListing,
    _ tree: (any MemberTree)?
  ) -> [(name: FilePath.Component, target: [UInt8]?)] {
    guard !contents.others.isEmpty else { return [] }
    let mains = mains(of: contents.files, listing)
    return contents.others.compactMap { name in
      let path = folder.appending(name)
      let file = tree.map { $0.neighbor(linkedBy: path) } ?? Folder.neighbor(linkedBy: path)
      let neighbor = file?.lastComponent?.bytes
      let target = neighbor.flatMap {
        StoreNames.isAlias(name.bytes, of: $0, in: listing) ? nil : $0
      }
      return mains.contains(name.bytes) || target != nil ? (name, target) : nil
    }
  }
}
