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
    listing.map { ListedSource($0, limit: limit) } ?? DiskSource()
  }
}

/// The files under some paths that may each be a store, folder by folder, those that names tell first.
///
/// Files that belong together by their names are one target. Links are not followed, but for those
/// that the user names.
package struct TreeWalk: Sequence, IteratorProtocol {
  /// A step of the walk.
  package enum Step: Sendable {
    /// A file that may be of a store.
    case target(ScanTarget)
    /// A path that cannot be looked at.
    case failure(FilePath, FileError)
  }

  /// How the names of side files end that never name a store of their own.
  private static let sideSuffixes = ["-wal", "-shm", "-journal", ".bak"]
  private static let copySuffixes = [".kva", ".kvb", ".kvc"]

  private var roots: AnyIterator<FilePath>
  private let isRootReady: () -> Bool
  /// Folders still to look at, the next one last.
  private var pending: [FilePath] = []
  /// The targets of the folder that was listed last, the next one last.
  private var targets: [ScanTarget] = []
  /// What stores the user has named by one of their files.
  private var requested: Set<FilePath> = []
  /// How many links were not followed, and how many pipes, sockets and devices were passed over.
  package private(set) var skippedCount = 0

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
    var main = path
    if let stem = path.removing(suffix: ".crc"), Folder.isTaken(stem),
      !Folder.isTaken(path.appending(suffix: ".crc"))
    {
      main = stem
    }
    let copies = Self.copySuffixes.lazy.compactMap { main.removing(suffix: $0) }.first
    guard requested.insert((copies ?? main).lexicallyNormalized()).inserted else { return nil }
    return ScanTarget(
      path: main, isNamedAsStore: Self.isNamed(main) { Folder.isTaken($0) }, isRequested: true,
      listing: nil)
  }

  private mutating func enter(_ folder: FilePath) throws(FileError) {
    let contents = try Folder.contents(of: folder)
    skippedCount += contents.linkCount + contents.otherCount
    pending += contents.folders.reversed().map { folder.appending($0) }
    let listing = FolderListing(of: folder, contents)
    let files = contents.files.map { folder.appending($0) }
    // Paths compare by their bytes; texts would take two spellings of an accent for one name.
    let all = Set(files)
    var others: [ScanTarget] = []
    var named: [ScanTarget] = []
    for file in files where !Self.isSide(file, among: all) {
      let isNamed = Self.isNamed(file) { all.contains($0) }
      // What a desktop's file manager leaves begins with a dot, and what apps keep seldom does.
      guard isNamed || file.lastComponent?.string.hasPrefix(".") != true else { continue }
      let target = ScanTarget(
        path: file, isNamedAsStore: isNamed, isRequested: false, listing: listing)
      if isNamed { named.append(target) } else { others.append(target) }
    }
    targets = (named + others).reversed()
  }

  private static func isNamed(_ path: FilePath, isTaken: (FilePath) -> Bool) -> Bool {
    Recognizer.logSuffixes.contains { path.removing(suffix: $0) != nil }
      || isTaken(path.appending(suffix: ".crc"))
  }

  /// Whether `file` belongs to another one of `files`.
  private static func isSide(_ file: FilePath, among files: Set<FilePath>) -> Bool {
    if let stem = file.removing(suffix: ".crc") {
      return files.contains(stem) && !files.contains(file.appending(suffix: ".crc"))
    }
    for (index, suffix) in copySuffixes.enumerated() {
      guard let stem = file.removing(suffix: suffix) else { continue }
      return copySuffixes[..<index].contains { files.contains(stem.appending(suffix: $0)) }
    }
    if let stem = file.removing(suffix: ".tmp") {
      return copySuffixes.contains { files.contains(stem.appending(suffix: $0)) }
    }
    return sideSuffixes.contains { file.removing(suffix: $0).map(files.contains) ?? false }
  }
}
