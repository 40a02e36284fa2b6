import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// The files in an archive as a folder tree, whose bytes are read on demand.
///
/// Members with the same name are in different layers. The second member of each name is in a
/// separate tree, together with the files that would be beside it if the archive were unpacked up
/// to that member.
final class ArchiveTree: MemberTree {
  // A class, because all targets in an archive share what has been read of it.

  let names: MemberNames
  let depth: Int
  let budget: UnpackBudget?
  private let archive: ArchiveFile
  private let members: [ArchiveListing.Member]
  /// The number of each member's window: the members of a window are read together.
  private let windows: [Int]
  private let memory: Guarded<Memory>

  /// The parts of the archive that have been read.
  private struct Memory: Sendable {
    /// The windows in memory, least recently used first.
    var windows: [(number: Int, images: [Int: MemberBytes])] = []
    var problems: [ArchiveListing.Problem]
    /// What is wrong with members that were read despite problems.
    var flaws: [FilePath: String]
  }

  /// Lists `archive`.
  ///
  /// - Throws: If it cannot be read.
  init(_ archive: ArchiveFile, depth: Int, _ budget: UnpackBudget) throws(ArchiveFailure) {
    let pass = try archive.pass(budget)
    let listing = try ArchiveListing(of: archive.path, pass)
    let shape = ArchiveShape(listing.layers, listing.links, at: archive.path)
    self.archive = archive
    self.depth = depth
    self.budget = budget
    members = listing.members
    names = shape.members
    let isWhole = listing.images != nil
    windows = isWhole ? members.map { _ in 0 } : shape.windows(of: listing.members)
    let problems = listing.problems + shape.problems
    let flaws = Dictionary(problems.map { ($0.path, $0.reason) }) { first, _ in first }
    var memory = Memory(problems: problems, flaws: flaws)
    if let images = listing.images { memory.windows = [(0, images)] }
    self.memory = Guarded(memory)
  }

  var problems: [(path: FilePath, reason: String)] {
    memory.use { $0.problems.map { ($0.path, $0.reason) } }
  }

  func flaw(of path: FilePath) -> String? {
    guard let index = names.member(at: path) else { return nil }
    return memory.use { $0.flaws[members[index].path] }
  }

  func isPassedOver(_ path: FilePath) -> Bool {
    names.member(at: path).map { members[$0].isMedia && members[$0].kind == nil } ?? false
  }

  func archive(at path: FilePath) -> ArchiveFile? {
    if let backup = ArchiveFile(backup: path, contents(of: path), in: self) { return backup }
    guard let index = names.member(at: path) else { return nil }
    if let kind = members[index].kind { return ArchiveFile(path, kind, in: self) }
    guard ArchiveKind.isNamed(path), let head = try? head(of: path, count: ArchiveKind.headCount)
    else { return nil }
    return ArchiveFile(path, beginningWith: head, in: self)
  }

  // MARK: Bytes

  func head(of path: FilePath, count: Int) throws(FileError) -> FileImage {
    let image = try read(path, limit: FileImage.maximumCount)
    return FileImage(image.bytes(in: 0..<min(count, image.count)))
  }

  func read(_ path: FilePath, limit: Int) throws(FileError) -> FileImage {
    try names.checkLink(path)
    guard let index = names.member(at: path) else {
      throw FileError.system(operation: "read", path: path, errno: .noSuchFileOrDirectory)
    }
    let limit = min(limit, ArchiveLimits.memberByteCount)
    let count = members[index].count
    guard count <= limit else {
      throw FileError.tooLarge(path: path, count: Int64(count), limit: limit)
    }
    let (found, flaw) = memory.use { memory in
      let found = image(index, &memory) ?? load(index, &memory)
      return (found, memory.flaws[members[index].path])
    }
    guard let image = found?.image, image.count > 0 || flaw == nil else {
      throw FileError.member(path: path, reason: flaw ?? "it has moved or changed")
    }
    return image
  }

  private func image(_ index: Int, _ memory: inout Memory) -> MemberBytes? {
    guard let place = memory.windows.firstIndex(where: { $0.number == windows[index] }) else {
      return nil
    }
    // Most members are in the window that was used last.
    if place < memory.windows.count - 1 {
      memory.windows.append(memory.windows.remove(at: place))
    }
    return memory.windows.last?.images[index]
  }

  /// Reads the window of the member at `index`; at most one other window stays in memory.
  private func load(_ index: Int, _ memory: inout Memory) -> MemberBytes? {
    let number = windows[index]
    if let place = memory.windows.firstIndex(where: { $0.number == number }) {
      guard memory.flaws[members[index].path] == nil else { return nil }
      let images = images(of: passedOver(with: index), &memory)
      memory.windows[place].images.merge(images) { first, _ in first }
      return images[index]
    }
    memory.windows = Array(memory.windows.suffix(1))
    let images = images(of: members.indices.filter { windows[$0] == number }, &memory)
    memory.windows.append((number, images))
    return images[index]
  }

  /// Returns the member at `index`, whose bytes were passed over when the archive was listed, and
  /// those beside it that were too, if there is room for them: a store may need all of them.
  private func passedOver(with index: Int) -> [Int] {
    let folder = members[index].path.parent
    let others = members.indices.filter {
      members[$0].isMedia && members[$0].path.parent == folder
    }
    let count = others.reduce(0) { $0 + members[$1].count }
    return count > ArchiveLimits.windowByteCount ? [index] : [index] + others
  }

  private func images(of indices: [Int], _ memory: inout Memory) -> [Int: MemberBytes] {
    var wanted: [Int: Int] = [:]
    for index in indices { wanted[members[index].ordinal] = index }
    var images: [Int: MemberBytes] = [:]
    // There is no time limit here, because the other files may still be needed.
    Deadline.within(nil) { read(&wanted, &images, &memory) }
    return images
  }

  /// Reads the members in `wanted`.
  private func read(
    _ wanted: inout [Int: Int], _ images: inout [Int: MemberBytes], _ memory: inout Memory
  ) {
    do throws(ArchiveFailure) {
      let pass = try archive.pass(budget?.renewed)
      while !wanted.isEmpty, step(pass, &wanted, &images, &memory) {}
    } catch {
      memory.problems.append(.init(path: archive.path, reason: error.reason))
    }
  }

  /// Advances by one step, and reads the member if it is in `wanted`.
  ///
  /// - Returns: Whether there are more steps.
  private func step(
    _ pass: ArchivePass, _ wanted: inout [Int: Int], _ images: inout [Int: MemberBytes],
    _ memory: inout Memory
  ) -> Bool {
    switch pass.next() {
    case .end: return false
    // It was reported when the archive was listed.
    case .problem: return true
    case .member(_, let ordinal):
      guard let index = wanted.removeValue(forKey: ordinal) else { return true }
      pass.read(upTo: ArchiveLimits.memberByteCount + 1)
      images[index] = MemberBytes(pass.member)
      let path = members[index].path
      if let problem = pass.problem, memory.flaws[path] == nil {
        memory.flaws[path] = problem
        memory.problems.append(.init(path: path, reason: problem))
      }
      return true
    }
  }
}
