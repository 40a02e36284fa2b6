import KVModel
import KVSystem
import SystemPackage

/// The folders that the names of an archive's members make.
struct ArchiveShape {
  private(set) var roots: [FilePath]
  private(set) var files: [FilePath: Int] = [:]
  private(set) var folders: [FilePath: Folder.Contents] = [:]
  private(set) var additions: [FilePath: Set<FilePath.Component>] = [:]
  private(set) var problems: [ArchiveListing.Problem] = []

  private let archive: FilePath
  /// The members at each path of the first layer.
  private let layers: [FilePath: [Int]]
  private var folderByteCount = 0
  /// The names of the files and the folders in each folder.
  private var names: [FilePath: (files: Set<FilePath.Component>, folders: Set<FilePath.Component>)]

  /// The first layer of `listing`, of the archive at `path`.
  init(_ listing: ArchiveListing, at path: FilePath) {
    archive = path
    layers = listing.layers
    let root = MemberPath.root(of: path)
    roots = [root]
    names = [root: ([], [])]
    for (path, members) in layers {
      if let first = members.first { add(path, first, below: root) }
    }
    finish()
  }

  /// Adds the file at `path` and the folders that it is in.
  private mutating func add(_ path: FilePath, _ index: Int, below root: FilePath) {
    guard let name = path.lastComponent else { return }
    var folder = path.removingLastComponent()
    files[path] = index
    names[folder, default: ([], [])].files.insert(name)
    while folder != root, let name = folder.lastComponent {
      let parent = folder.removingLastComponent()
      guard names[parent, default: ([], [])].folders.insert(name).inserted else { return }
      folderByteCount += folder.length
      guard folderByteCount <= ArchiveLimits.folderByteCount else { return }
      folder = parent
    }
  }

  private mutating func finish() {
    for (folder, names) in names {
      var contents = Folder.Contents()
      contents.files = names.files.sorted { $0.string < $1.string }
      contents.folders = names.folders.sorted { $0.string < $1.string }
      folders[folder] = contents
    }
    if folderByteCount > ArchiveLimits.folderByteCount {
      problems.append(
        .init(path: archive, reason: "its folders are too many; not all of them are looked into"))
    }
  }

  // MARK: Names that stand more than once

  /// Adds the members whose names stand more than once.
  mutating func addLayers() {
    let repeated = layers.filter { $0.value.count > 1 }
    guard let last = repeated.map({ $0.value.count }).max() else { return }
    let first = roots[0]
    for number in 2...last {
      let root = MemberPath.root(of: archive, layer: number)
      var added: [FilePath: Set<FilePath.Component>] = [:]
      for (path, members) in repeated where members.count >= number {
        guard let name = path.lastComponent else { continue }
        added[path.removingLastComponent(), default: []].insert(name)
      }
      guard !added.isEmpty else { continue }
      roots.append(root)
      names = [root: ([], [])]
      for (folder, fresh) in added {
        var own = folder
        guard own.removePrefix(first) else { continue }
        own = root.pushing(own)
        additions[own] = fresh
        for name in folders[folder]?.files ?? [] {
          guard let members = layers[folder.appending(name)] else { continue }
          add(own.appending(name), members[min(number, members.count) - 1], below: root)
        }
      }
      finish()
    }
  }

  // MARK: What is read together

  /// The window of each of `members`: those that are beside each other in the tree share one.
  func windows(of members: [ArchiveListing.Member]) -> [Int] {
    var windows = members.map { _ in -1 }
    var (number, count) = (0, 0)
    func place(_ index: Int) {
      guard windows[index] < 0 else { return }
      if count > 0, count + members[index].count > ArchiveLimits.windowByteCount {
        (number, count) = (number + 1, 0)
      }
      windows[index] = number
      // Pictures are not read, unless somebody names one.
      count += members[index].isMedia ? 0 : members[index].count
    }
    var pending = Array(roots.reversed())
    while let folder = pending.popLast() {
      let contents = folders[folder] ?? Folder.Contents()
      for name in contents.files {
        if let index = files[folder.appending(name)] { place(index) }
      }
      pending += contents.folders.reversed().map { folder.appending($0) }
    }
    return windows
  }
}
