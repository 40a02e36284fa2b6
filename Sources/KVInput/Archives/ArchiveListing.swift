import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// The contents of an archive, found in one pass.
struct ArchiveListing {
  /// A file in the archive.
  struct Member {
    /// The number of members before it.
    let ordinal: Int
    /// The member's path in its layer.
    let path: FilePath
    /// The size in bytes; the number of bytes that were read if the archive does not state it.
    let count: Int
    /// The type of archive that the member itself is; `nil` if it is not an archive.
    let kind: ArchiveKind?
    /// Whether it is an image or other media, which need not be read.
    let isMedia: Bool
  }

  /// A part of the archive that is not read, and the reason.
  struct Problem {
    let path: FilePath
    let reason: String
  }

  private let path: FilePath
  private(set) var members: [Member] = []
  private(set) var problems: [Problem] = []
  /// The bytes of the members, by index; `nil` if they exceed the limit on memory.
  private(set) var images: [Int: MemberBytes]? = [:]
  /// The members at each path, in archive order.
  private(set) var layers = PathTable<[Int]>()
  /// The members that are neither files nor folders.
  private(set) var links: MemberLinks
  /// The other names of files that come later in the archive.
  private var forwardLinks: [(path: FilePath, target: [UInt8])] = []
  /// The number of members with another name in the directory than before their bytes.
  private var contradictionCount = 0
  private var imageByteCount = 0
  private var refused: Set<FilePath> = []

  /// Lists the archive at `path` with `pass`.
  ///
  /// - Throws: If it is not an archive, or nothing in it can be read.
  init(of path: FilePath, _ pass: ArchivePass) throws(ArchiveFailure) {
    self.path = path
    let root = MemberPath.root(of: path)
    links = MemberLinks(in: root)
    defer { finish(root) }
    var stepCount = 0
    var hasMembers = false
    while true {
      let step = pass.next()
      stepCount += 1
      if stepCount > ArchiveLimits.memberCount {
        add(path, "only the first \(ArchiveLimits.memberCount.grouped) of its members are read")
        return
      }
      if Deadline.hasPassed {
        add(
          path,
          "only the first \((stepCount - 1).grouped) of its members are read: \(ArchiveInput.delay)"
        )
        return
      }
      switch step {
      case .member(let header, let ordinal):
        hasMembers = true
        add(header, ordinal, root, pass)
      case .problem(let reason): add(path, reason)
      case .end:
        // A file that is not an archive at all yields only a problem.
        if !hasMembers, let problem = problems.last {
          throw ArchiveFailure(reason: "it is an archive, but \(problem.reason)")
        }
        return
      }
    }
  }

  private mutating func add(_ path: FilePath, _ reason: String) {
    problems.append(Problem(path: path, reason: reason))
  }

  /// Reports the first member with another name before its bytes than in the directory, and counts
  /// the others.
  private mutating func note(_ other: [UInt8], of header: ArchiveHeader, _ ordinal: Int) {
    contradictionCount += 1
    guard contradictionCount == 1 else { return }
    let names = [header.name, other].map { FilePath(bytes: Array($0.prefix(256))).text }
    add(
      path,
      "its member number \(ordinal + 1) is \(names[0]) in its directory, and is read as that, but "
        + "\(names[1]) in the header before its bytes")
  }

  private mutating func add(
    _ header: ArchiveHeader, _ ordinal: Int, _ root: FilePath, _ pass: ArchivePass
  ) {
    if let other = header.contradiction { note(other, of: header, ordinal) }
    guard header.kind != .folder else { return }
    guard let first = Self.path(of: header.name, in: root) else {
      let number = "its member number \(ordinal + 1)"
      add(path, "\(number) has no name, or too long a name, and is not read")
      return
    }
    switch header.kind {
    case .symbolicLink(let target): return links.add(.link(to: target), at: first)
    case .special(let kind): return links.add(.special(kind), at: first)
    case .link(let name): return add(linkAt: first, to: name, root)
    case .file, .folder: break
    }
    let known = layers[first] ?? []
    let number = known.count + 1
    let own =
      number == 1
      ? first
      : Self.path(of: header.name, in: MemberPath.root(of: path, layer: number)) ?? first
    guard number <= ArchiveLimits.layerCount else {
      if refused.insert(first).inserted {
        add(own, "only the first \(ArchiveLimits.layerCount) members with this name are read")
      }
      return
    }
    if let stated = header.count, !pass.hasRoom(for: stated) {
      return add(own, "it has \(stated.inBytes), but \(pass.refusal)")
    }
    layers[first] = known + [members.count]
    read(header, ordinal, own, pass)
    for name in header.aliases { add(alias: name, of: members.count - 1, root, pass) }
  }

  /// Adds another name, `path`, of the file that is named `target`.
  private mutating func add(linkAt path: FilePath, to target: [UInt8], _ root: FilePath) {
    guard let member = Self.path(of: target, in: root).flatMap({ layers[$0]?.last }) else {
      forwardLinks.append((path, target))
      return
    }
    let known = layers[path] ?? []
    guard known.count < ArchiveLimits.layerCount else {
      if refused.insert(path).inserted {
        add(path, "only the first \(ArchiveLimits.layerCount) members with this name are read")
      }
      return
    }
    layers[path] = known + [member]
  }

  /// Adds the names of files that came later, follows all links, and reports what was counted.
  private mutating func finish(_ root: FilePath) {
    if contradictionCount > 1 {
      let count = (contradictionCount - 1).counted("other member has", "other members have")
      add(path, "\(count) another name in its directory than before the bytes")
    }
    let pending = forwardLinks
    forwardLinks = []
    // A link may lead to one that comes after it.
    for (path, target) in pending.reversed() { add(linkAt: path, to: target, root) }
    for (path, _) in forwardLinks { add(path, "it is a link to a missing member") }
    links.resolve()
  }

  /// Adds the member at `index` under another name that the directory has for it.
  private mutating func add(
    alias name: [UInt8], of index: Int, _ root: FilePath, _ pass: ArchivePass
  ) {
    guard let path = Self.path(of: name, in: root) else {
      return add(self.path, "a member has another name that is empty or too long; it is not read")
    }
    let known = layers[path] ?? []
    guard known.count < ArchiveLimits.layerCount else {
      if refused.insert(path).inserted {
        add(path, "only the first \(ArchiveLimits.layerCount) members with this name are read")
      }
      return
    }
    let count = members[index].count
    guard pass.takeAgain(count) else {
      return add(path, "it has \(count.inBytes), but \(pass.refusal)")
    }
    layers[path] = known + [index]
  }

  /// Returns the path of the member named `name`; `nil` if the name is empty or too long.
  static func path(of name: [UInt8], in root: FilePath) -> FilePath? {
    let depth = name.count { $0 == UInt8(ascii: "/") }
    guard name.count <= ArchiveLimits.name.byteCount, depth <= ArchiveLimits.name.depth else {
      return nil
    }
    return MemberPath.path(of: name, in: root)
  }

  /// Examines the first bytes of a member, and keeps all of its bytes as long as the limit on
  /// memory allows.
  private mutating func read(
    _ header: ArchiveHeader, _ ordinal: Int, _ path: FilePath, _ pass: ArchivePass
  ) {
    pass.read(upTo: ArchiveKind.headCount)
    let kind = ArchiveKind(Array(pass.member.prefix(ArchiveKind.headCount)))
    let isMedia = ForeignFile.isMedia(FileImage(Array(pass.member.prefix(ForeignFile.headCount))))
    let isPassedOver = kind.map { _ in ArchiveKind.isPackage(path) } ?? isMedia
    var count = header.count ?? 0
    if !isPassedOver {
      if count > ArchiveLimits.windowByteCount { images = nil }
      if images != nil || header.count == nil {
        // Asking for one more byte also reads what the archive stores after the last byte.
        pass.read(upTo: ArchiveLimits.memberByteCount + 1)
        count = header.count ?? pass.member.count
        keep(pass.member, members.count)
      } else {
        pass.reserve()
      }
      if count > ArchiveLimits.memberByteCount {
        add(
          path, "it has more than \(ArchiveLimits.memberByteCount.grouped) bytes, and is not read")
      }
    }
    if let problem = pass.problem { add(path, problem) }
    members.append(
      Member(ordinal: ordinal, path: path, count: count, kind: kind, isMedia: isMedia))
  }

  private mutating func keep(_ bytes: [UInt8], _ index: Int) {
    let member = MemberBytes(bytes)
    imageByteCount += member.storedCount
    if imageByteCount > ArchiveLimits.windowByteCount { images = nil }
    images?[index] = member
  }
}
