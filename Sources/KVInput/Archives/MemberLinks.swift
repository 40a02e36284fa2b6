import KVModel
import KVSystem
import SystemPackage

/// The links in an archive and its other members without bytes, by their paths.
struct MemberLinks: Sendable {
  /// What is at a path instead of a file.
  enum Node: Sendable {
    /// A symbolic link, with its target as stored.
    case link(to: [UInt8])
    /// A pipe, a socket or a device, as people call it.
    case special(String)
  }

  /// Where a link leads.
  enum Place: Sendable {
    /// The path of a file, a folder or nothing in the archive.
    case member(FilePath)
    /// What is outside of the archive, or what too many links lead to, with the path as stored.
    case outside(FilePath)
  }

  private let root: FilePath
  private var nodes = PathTable<Node>()
  /// The number of names that may still be followed, in all links together.
  private var stepCount = ArchiveLimits.linkStepCount
  private var places = PathTable<Place>()

  /// Creates the links in an archive whose members are in the folder `root`.
  init(in root: FilePath) { self.root = root }

  /// What is at each path.
  var all: some Sequence<(path: FilePath, value: Node)> { nodes.pairs }

  /// Returns what is at `path`; `nil` if that is no link or other special member.
  subscript(_ path: FilePath) -> Node? { nodes[path] }

  /// Adds `node` at `path`, or puts it in the place of an earlier one.
  mutating func add(_ node: Node, at path: FilePath) { nodes[path] = node }

  /// Follows every link.
  mutating func resolve() {
    for (path, node) in nodes.pairs {
      guard case .link(let target) = node else { continue }
      places[path] = resolved(target, from: path) ?? .outside(FilePath(bytes: target))
    }
  }

  /// Returns where the link at `path` leads; `nil` if there is no link.
  func place(of path: FilePath) -> Place? { places[path] }

  /// Returns where `target` leads, which is the target of the link at `path`; `nil` if that is not in
  /// the archive, or too far.
  private mutating func resolved(_ target: [UInt8], from path: FilePath) -> Place? {
    var place = path.parent
    guard target.first != UInt8(ascii: "/") else { return nil }
    var rest = Array(target.split(separator: UInt8(ascii: "/")).reversed())
    let limit = root.length + ArchiveLimits.name.byteCount
    var linkCount = 1
    while let name = rest.popLast() {
      stepCount -= 1
      guard stepCount > 0 else { return nil }
      if name.elementsEqual(".".utf8) { continue }
      if name.elementsEqual("..".utf8) {
        guard place != root else { return nil }
        place = place.parent
        continue
      }
      guard let next = MemberPath.path(of: Array(name), in: place), next.length <= limit else {
        return nil
      }
      guard case .link(let other) = nodes[next] else {
        place = next
        continue
      }
      linkCount += 1
      guard linkCount <= ArchiveLimits.linkCount, other.first != UInt8(ascii: "/") else {
        return nil
      }
      rest += other.split(separator: UInt8(ascii: "/")).reversed()
      stepCount -= other.count / 2
    }
    return .member(place)
  }
}
