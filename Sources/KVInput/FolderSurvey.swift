import KVBytes
package import KVModel
import KVSystem
package import SystemPackage

/// The contents of a folder: stores with a log, files of other formats, and files that could not be
/// examined.
///
/// Each file is examined separately, so that one store in the folder does not hide the others.
package struct FolderSurvey {
  /// A store or a file in the folder.
  package struct Member {
    /// The path by which the user names the member.
    package let path: FilePath
    let formatName: String
    package let hasLog: Bool

    /// The name and the format, for a list.
    package var label: String { "\(path.name) (\(formatName))" }
  }

  /// The number of files whose contents are examined; of any further files, only those that are
  /// named like stores are examined.
  private static let judgedCount = 200

  /// The recognized stores and files, sorted by path.
  package private(set) var members: [Member] = []
  /// The errors about files that could not be examined.
  package private(set) var obstacles: [DiscoveryError] = []
  /// The archives, which may hold any number of stores.
  package private(set) var archives: [FilePath] = []
  /// The files that no format recognizes.
  package var unknown: [FilePath] { unrecognized.filter { !claimed.contains($0) } }
  /// The files in the folder.
  package let files: [FilePath]
  /// The file to open if all file names are those of one store; `nil` if there are more stores.
  package let onlyFile: FilePath?
  /// The number of files that were not examined because there are too many.
  package private(set) var unjudgedCount = 0

  private let recognizer: Recognizer
  private let source: any FileSource
  private var claimed: Set<FilePath> = []
  /// The files that no format recognizes by themselves; another file may turn out to need them.
  private var unrecognized: [FilePath] = []
  /// The files of the first store and of the first other file, which are read again if there are no
  /// others.
  private var kept: Set<FilePath> = []

  /// Examines the files of `folder` in `source`.
  ///
  /// `source` keeps the bytes of the first store and of the first other file.
  ///
  /// - Throws: If the folder cannot be listed.
  package init(
    of folder: FilePath, _ recognizer: Recognizer, in source: any FileSource
  ) throws(DiscoveryError) {
    self.recognizer = recognizer
    self.source = source
    files = try source.allNames(in: folder).map { folder.appending($0) }
      .filter { !source.isFolder($0) || Folder.isLink($0) }
    let home = source.folder(of: folder.appending("."), named: folder)
    let hasLinks = files.contains { source.isOutside($0, of: home) }
    onlyFile = hasLinks ? nil : FolderSurvey.onlyFile(of: files, in: source)
    let named = files.filter { FolderSurvey.isNamedAsStore($0, in: source) }
    var judgedCount = 0
    for path in named + files where !claimed.contains(path) {
      guard isOnlyName(path) else { continue }
      if source.isOutside(path, of: home) {
        claimed.insert(path)
        obstacles.append(.file(.leadsOut(path: path, target: Folder.target(of: path) ?? path)))
        continue
      }
      guard !source.isFolder(path) else { continue }
      let isNamed = FolderSurvey.isNamedAsStore(path, in: source)
      if judgedCount < FolderSurvey.judgedCount || ArchiveKind.isNamed(path),
        ArchiveFile.isFound(at: path, isNamedAsStore: isNamed, in: source)
      {
        if !archives.contains(path) { archives.append(path) }
        continue
      }
      // The files of a folder with a single store would be read twice, so they are not examined
      // here.
      guard onlyFile == nil else { continue }
      judgedCount += isNamed ? 0 : 1
      guard judgedCount <= FolderSurvey.judgedCount else {
        unjudgedCount += 1
        continue
      }
      judge(path, isNamedAsStore: isNamed)
      source.forget(allBut: kept)
    }
    members.sort { $0.path.text < $1.path.text }
  }

  /// Returns the file to open if all file names are those of one store; `nil` if there are more
  /// stores.
  private static func onlyFile(of files: [FilePath], in source: any FileSource) -> FilePath? {
    let sides = StoreNames.log + [StoreNames.temporary] + StoreNames.companions
    let stems = Set(
      files.map { path in sides.lazy.compactMap { path.removing(suffix: $0) }.first ?? path })
    guard stems.count == 1 else { return nil }
    return files.first { isNamedAsStore($0, in: source) } ?? files.first
  }

  /// The stores that have a log.
  package var stores: [Member] { members.filter(\.hasLog) }

  private static func isNamedAsStore(_ path: FilePath, in source: any FileSource) -> Bool {
    StoreNames.isOfLog(path, isTaken: source.isTaken)
  }

  /// Returns `false` if `path` is a link to a file in the folder and only a second name of it.
  ///
  /// The target of any other link is examined by the name of the link.
  private mutating func isOnlyName(_ path: FilePath) -> Bool {
    guard let target = Folder.neighbor(linkedBy: path) else { return true }
    if StoreNames.isAlias(path, of: target, isTaken: source.isTaken) { return false }
    claimed.insert(target)
    return true
  }

  private mutating func judge(_ path: FilePath, isNamedAsStore: Bool) {
    let found: FoundFiles
    do throws(DiscoveryError) {
      found = try recognizer.files(at: path, .found(isNamedAsStore: isNamedAsStore), in: source)
    } catch {
      claimed.insert(path)
      // The data file and the side file of a store have the same obstacle.
      if !obstacles.contains(error) { obstacles.append(error) }
      return
    }
    switch found {
    case .store(let best, _):
      guard let main = best.files.read.first(where: { $0.role != .external }) else { return }
      // If a store's data file is missing, the name of its meta file still shows the store's name.
      let stem = main.role != .data ? main.path.removing(suffix: StoreNames.meta) : nil
      let name = stem ?? main.path
      if stores.isEmpty { kept.formUnion(best.files.map(\.path)) }
      claim(best.files, at: path)
      members.append(Member(path: name, formatName: best.possibility.name, hasLog: true))
    case .table(let reader, let files):
      guard let main = files.first else { return }
      // A file beside a table may lead to it without being one of its files.
      if members.contains(where: { $0.path == main.path }) { return claim(files, at: path) }
      if members.isEmpty { kept.formUnion(files.map(\.path)) }
      claim(files, at: path)
      members.append(Member(path: main.path, formatName: type(of: reader).name, hasLog: false))
    case .unknown: unrecognized.append(path)
    }
  }

  private mutating func claim(_ files: [StoreFile], at path: FilePath) {
    claimed.insert(path)
    claimed.formUnion(files.map(\.path))
  }
}
