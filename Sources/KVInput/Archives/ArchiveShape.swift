import KVModel
import KVSystem
import SystemPackage

/// The folder tree that the names of an archive's members form.
struct ArchiveShape {
  private(set) var members: MemberNames
  private(set) var problems: [ArchiveListing.Problem] = []

  private let archive: FilePath
  /// The members at each path of the first layer.
  private let layers: PathTable<[Int]>
  private var folderByteCount = 0
  /// The names of the files and folders in each folder.
  private var names = PathTable<Names>()

  private struct Names {
    var files: [FilePath.Component] = []
    var folders: Set<FilePath.Component> = []
    var isEmpty: Bool { files.isEmpty && folders.isEmpty }
  }

  /// Creates the tree of the archive at `path`; `layers` lists its members by their path in the
  /// first layer, `links` those that are no files.
  init(_ layers: PathTable<[Int]>, _ links: MemberLinks? = nil, at path: FilePath) {
    archive = path
    self.layers = layers
    let root = MemberPath.root(of: path)
    members = MemberNames(roots: [root])
    names[root] = Names()
    var repeated: [(path: FilePath, members: [Int])] = []
    for (path, members) in layers.pairs {
      if let first = members.first { add(path, first, below: root) }
      if members.count > 1 { repeated.append((path, members)) }
    }
    finish()
    members.links = links
    if let links { add(links) }
    addLayers(repeated)
  }

  /// Adds the file at `path` and the folders that contain it.
  private mutating func add(_ path: FilePath, _ index: Int, below root: FilePath) {
    guard let name = path.lastComponent else { return }
    var folder = path.parent
    members.files[path] = index
    var isNew = false
    names.change(folder, from: Names()) { names in
      isNew = names.isEmpty
      names.files.append(name)
    }
    // The folders that contain a known one are known too.
    while isNew, folder != root, let name = folder.lastComponent {
      let parent = folder.parent
      names.change(parent, from: Names()) { names in
        isNew = names.isEmpty
        names.folders.insert(name)
      }
      folderByteCount += folder.length
      guard folderByteCount <= ArchiveLimits.folderByteCount else { return }
      folder = parent
    }
  }

  private mutating func finish() {
    for (folder, names) in names.pairs {
      var contents = Folder.Contents()
      contents.files = Folder.sorted(names.files)
      contents.folders = Folder.sorted(Array(names.folders))
      members.folders[folder] = contents
    }
    if folderByteCount > ArchiveLimits.folderByteCount {
      problems.append(
        .init(path: archive, reason: "it has too many folders; not all of them are searched"))
    }
  }

  /// Adds `links` to the folders that contain other members.
  private mutating func add(_ links: MemberLinks) {
    var others = PathTable<[FilePath.Component]>()
    for (path, _) in links.all where members.files[path] == nil && members.folders[path] == nil {
      guard let name = path.lastComponent, members.folders[path.parent] != nil else { continue }
      others.change(path.parent, from: []) { $0.append(name) }
    }
    for (folder, names) in others.pairs {
      members.folders[folder]?.others = Folder.sorted(names)
    }
  }

  // MARK: Layers

  /// Adds the members whose names occur more than once.
  private mutating func addLayers(_ repeated: [(path: FilePath, members: [Int])]) {
    guard let last = repeated.map(\.members.count).max() else { return }
    let first = members.roots[0]
    for number in 2...last {
      let root = MemberPath.root(of: archive, layer: number)
      var added: [FilePath: Set<FilePath.Component>] = [:]
      for (path, members) in repeated where members.count >= number {
        guard let name = path.lastComponent else { continue }
        added[path.parent, default: []].insert(name)
      }
      guard !added.isEmpty else { continue }
      members.roots.append(root)
      names = PathTable()
      names[root] = Names()
      for (folder, fresh) in added {
        var own = folder
        guard own.removePrefix(first) else { continue }
        own = root.pushing(own)
        members.additions[own] = fresh
        for name in members.folders[folder]?.files ?? [] {
          guard let layer = layers[folder.appending(name)] else { continue }
          add(own.appending(name), layer[min(number, layer.count) - 1], below: root)
        }
      }
      finish()
    }
  }

  // MARK: Windows

  /// Returns the number of the window of each member in `list`; members that are close to each
  /// other in the tree share a window.
  func windows(of list: [ArchiveListing.Member]) -> [Int] {
    var windows = list.map { _ in -1 }
    var (number, count) = (0, 0)
    func place(_ index: Int) {
      guard windows[index] < 0 else { return }
      if count > 0, count + list[index].count > ArchiveLimits.windowByteCount {
        (number, count) = (number + 1, 0)
      }
      windows[index] = number
      // Media is not read unless the user names it.
      count += list[index].isMedia ? 0 : list[index].count
    }
    var pending = Array(members.roots.reversed())
    while let folder = pending.popLast() {
      let contents = members.folders[folder] ?? Folder.Contents()
      for name in contents.files {
        if let index = members.files[folder.appending(name)] { place(index) }
      }
      pending += contents.folders.reversed().map { folder.appending($0) }
    }
    return windows
  }
}
