import KVBytes
import KVModel
package import KVSystem
package import SystemPackage

/// The files in an archive as a tree of folders, whose bytes are read when they are asked for.
///
/// Members whose names stand more than once are in layers: the second of each name is in a tree of its
/// own, beside those that it would be beside if the archive were unpacked up to there.
package final class ArchiveTree: Sendable {
  // A class because all targets in an archive share what was read of it.

  /// The folders that hold everything, those of later layers after the first.
  package let roots: [FilePath]
  /// How many archives it is within.
  let depth: Int
  let budget: UnpackBudget
  private let archive: ArchiveFile
  private let members: [ArchiveListing.Member]
  private let files: [FilePath: Int]
  private let folders: [FilePath: Folder.Contents]
  /// Of the folders of later layers, the files that are in no earlier one.
  private let additions: [FilePath: Set<FilePath.Component>]
  /// Which members are read together: the number of each one's window.
  private let windows: [Int]
  private let memory: Guarded<Memory>

  /// What was read.
  private struct Memory: Sendable {
    /// Windows that are in memory, the one used last at the end.
    var windows: [(number: Int, images: [Int: FileImage])] = []
    var problems: [ArchiveListing.Problem]
    /// What is wrong with members that were read all the same.
    var flaws: [FilePath: String]
  }

  /// Lists `archive`.
  ///
  /// - Throws: When it is none that can be read.
  init(_ archive: ArchiveFile, depth: Int, _ budget: UnpackBudget) throws(ArchiveFailure) {
    let pass = try archive.pass(budget)
    let listing = try ArchiveListing(of: archive.path, pass)
    var shape = ArchiveShape(listing, at: archive.path)
    shape.addLayers()
    self.archive = archive
    self.depth = depth
    self.budget = budget
    members = listing.members
    (files, folders, additions) = (shape.files, shape.folders, shape.additions)
    roots = shape.roots
    let isWhole = listing.images != nil
    windows = isWhole ? members.map { _ in 0 } : shape.windows(of: listing.members)
    let problems = listing.problems + shape.problems
    let flaws = Dictionary(problems.map { ($0.path, $0.reason) }) { first, _ in first }
    var memory = Memory(problems: problems, flaws: flaws)
    if let images = listing.images { memory.windows = [(0, images)] }
    self.memory = Guarded(memory)
  }

  /// What cannot be read, so far as that is known by now, and why.
  package var problems: [(path: FilePath, reason: String)] {
    memory.use { $0.problems.map { ($0.path, $0.reason) } }
  }

  /// What is wrong with the bytes of the file at `path`, which were read all the same; `nil` where nothing
  /// is known to be.
  func flaw(of path: FilePath) -> String? {
    guard let index = files[path] else { return nil }
    return memory.use { $0.flaws[members[index].path] }
  }

  // MARK: Names

  /// Whether there is a file or a folder at `path`.
  func isTaken(_ path: FilePath) -> Bool { files[path] != nil || folders[path] != nil }

  /// Whether there is a folder at `path`, and not a file with the same name as well.
  package func isFolder(_ path: FilePath) -> Bool { folders[path] != nil && files[path] == nil }

  /// The files and the folders in the folder at `path`; none where there is no such folder.
  func contents(of path: FilePath) -> Folder.Contents { folders[path] ?? Folder.Contents() }

  /// Returns the names of the files in the folder at `path` that no earlier layer has; `nil` where all
  /// are.
  func additions(to path: FilePath) -> Set<FilePath.Component>? { additions[path] }

  /// Whether the file at `path` is a picture or the like, which a scan does not look at.
  func isPassedOver(_ path: FilePath) -> Bool {
    files[path].map { members[$0].isMedia && members[$0].kind == nil } ?? false
  }

  /// The archive that the file at `path` is; `nil` where it is none.
  package func archive(at path: FilePath) -> ArchiveFile? {
    files[path].flatMap { members[$0].kind }.map { ArchiveFile(path, $0, in: self) }
  }

  // MARK: Bytes

  /// All bytes of the file at `path`, of which there are no more than `limit`.
  ///
  /// - Throws: When there is none, or it cannot be read.
  func read(_ path: FilePath, limit: Int) throws(FileError) -> FileImage {
    guard let index = files[path] else {
      throw FileError.system(operation: "read", path: path, errno: .noSuchFileOrDirectory)
    }
    let limit = min(limit, ArchiveLimits.memberByteCount)
    let count = members[index].count
    guard count <= limit else {
      throw FileError.tooLarge(path: path, count: Int64(count), limit: limit)
    }
    let found = memory.use { memory in image(index, &memory) ?? load(index, &memory) }
    guard let image = found, image.count > 0 || flaw(of: path) == nil else {
      let reason = memory.use { $0.flaws[members[index].path] } ?? "it is not where it was"
      throw FileError.member(path: path, reason: reason)
    }
    return image
  }

  private func image(_ index: Int, _ memory: inout Memory) -> FileImage? {
    guard let place = memory.windows.firstIndex(where: { $0.number == windows[index] }) else {
      return nil
    }
    memory.windows.append(memory.windows.remove(at: place))
    return memory.windows.last?.images[index]
  }

  /// Reads the window of the member number `index`; one other stays in memory.
  private func load(_ index: Int, _ memory: inout Memory) -> FileImage? {
    let number = windows[index]
    guard !memory.windows.contains(where: { $0.number == number }) else { return nil }
    memory.windows = Array(memory.windows.suffix(1))
    var wanted: [Int: Int] = [:]
    for index in members.indices where windows[index] == number {
      wanted[members[index].ordinal] = index
    }
    var images: [Int: FileImage] = [:]
    do throws(ArchiveFailure) {
      let pass = try archive.pass(nil)
      while !wanted.isEmpty, step(pass, &wanted, &images, &memory) {}
    } catch {
      memory.problems.append(.init(path: archive.path, reason: error.reason))
    }
    memory.windows.append((number, images))
    return images[index]
  }

  /// Goes one step, and reads the member if it is one of those that are `wanted`.
  ///
  /// - Returns: Whether there are more steps.
  private func step(
    _ pass: ArchivePass, _ wanted: inout [Int: Int], _ images: inout [Int: FileImage],
    _ memory: inout Memory
  ) -> Bool {
    switch pass.next() {
    case .end: return false
    // It was told when the archive was listed.
    case .problem: return true
    case .member(_, let ordinal):
      guard let index = wanted.removeValue(forKey: ordinal) else { return true }
      pass.read(upTo: ArchiveLimits.memberByteCount + 1)
      images[index] = FileImage(pass.member)
      let path = members[index].path
      if let problem = pass.problem, memory.flaws[path] == nil {
        memory.flaws[path] = problem
        memory.problems.append(.init(path: path, reason: problem))
      }
      return true
    }
  }
}

/// An archive that was found, and not opened yet.
package struct ArchiveFile: Sendable {
  /// Where it is.
  package let path: FilePath
  private let kind: ArchiveKind
  /// The archive that it is in; `nil` for a file of the disk.
  private let home: ArchiveTree?

  /// The archive at `path` of the sort `kind`, a member of `home` or a file of the disk.
  package init(_ path: FilePath, _ kind: ArchiveKind, in home: ArchiveTree? = nil) {
    self.path = path
    self.kind = kind
    self.home = home
  }

  /// The archive at `path` of the disk; `nil` where there is none.
  package init?(at path: FilePath) {
    guard let head = try? FileImage.head(of: path, count: ArchiveKind.headCount),
      let kind = ArchiveKind(head.bytes)
    else { return nil }
    self.init(path, kind)
  }

  /// Whether it may be something else that is packed as archives are, and has not their name: no words
  /// are lost on it if it cannot be read.
  package var isUncertain: Bool {
    [.gzip, .filtered].contains(kind) && !ArchiveKind.isNamed(path)
  }

  /// Lists it.
  ///
  /// - Throws: When it cannot be read.
  package func tree() throws(FileError) -> ArchiveTree {
    let depth = (home?.depth ?? 0) + 1
    guard depth <= ArchiveLimits.depth else {
      throw FileError.member(
        path: path, reason: "it is an archive within \(depth - 1) others, and is not looked into")
    }
    guard kind != .encryptedBackup else {
      throw FileError.member(path: path, reason: "the backup is encrypted")
    }
    let budget: UnpackBudget
    if let home {
      budget = home.budget
    } else {
      budget = UnpackBudget(packedCount: try InputFile(path).count)
    }
    do throws(ArchiveFailure) {
      return try ArchiveTree(self, depth: depth, budget)
    } catch {
      throw FileError.member(path: path, reason: error.reason)
    }
  }

  /// A way through it.
  fileprivate func pass(_ budget: UnpackBudget?) throws(ArchiveFailure) -> ArchivePass {
    let bytes: ArchiveBytes
    do throws(FileError) {
      let image = try home?.read(path, limit: ArchiveLimits.memberByteCount)
      bytes = image.map { .image($0) } ?? .file(path)
    } catch {
      throw ArchiveFailure(reason: error.cause)
    }
    return try ArchivePass(bytes, kind, budget)
  }
}
