import KVBytes
package import SystemPackage

/// Paths of the members of archives: `evidence.zip!data/user`.
///
/// Internally, such a path is `evidence.zip/␁!/data/user`, where ␁ is the byte 1. It consists of
/// components as a file's path does, so all operations on names work with it too. It can never
/// exist on disk, because the component before the mark is a file. A component that would lead out
/// of its folder, or could be mistaken for the mark, is escaped with a leading byte 1, which is not
/// shown.
package enum MemberPath {
  private static let slash = UInt8(ascii: "/")
  private static let escape: UInt8 = 1
  /// The start of the component that separates the archive from its members.
  private static let mark: [UInt8] = [escape, UInt8(ascii: "!")]

  /// Returns the folder that holds the members of the archive at `path`; `layer` counts from 1, and
  /// is above 1 for further members with the same name.
  package static func root(of path: FilePath, layer: Int = 1) -> FilePath {
    let number = layer == 1 ? "" : "#\(layer)!"
    return FilePath(bytes: path.bytes + [slash] + mark + number.utf8)
  }

  /// Returns the path of the member `name` in the folder `root`; `nil` if the name has no
  /// components.
  ///
  /// Empty components and `.` are dropped, except for the leading empty component of an absolute
  /// path.
  package static func path(of name: [UInt8], in root: FilePath) -> FilePath? {
    let components = name.split(separator: slash, omittingEmptySubsequences: false)
    let start = root.bytes
    var bytes = start
    bytes.reserveCapacity(start.count + name.count + 1)
    for (index, component) in components.enumerated() {
      let isAbsolute = index == 0 && component.isEmpty && components.count > 1
      if component.isEmpty && !isAbsolute || component.elementsEqual(".".utf8) { continue }
      let isEscaped =
        isAbsolute || component.first == escape || component.elementsEqual("..".utf8)
      bytes.append(slash)
      if isEscaped { bytes.append(escape) }
      bytes += component
    }
    let isEmpty = bytes[start.count...].allSatisfy { $0 == slash || $0 == escape }
    return isEmpty ? nil : FilePath(bytes: bytes)
  }

  /// Returns the bytes of a path as they are shown to people, who name members the same way.
  static func shown(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(escape) else { return bytes }
    var shown: [UInt8] = []
    var (isInside, isFirst) = (false, true)
    for component in bytes.split(separator: slash, omittingEmptySubsequences: false) {
      // The root of an archive may itself be a backup, whose mark follows that of the archive.
      if component.starts(with: mark), isInside || !isFirst {
        shown += component.dropFirst()
        (isInside, isFirst) = (true, true)
        continue
      }
      if !isFirst { shown.append(slash) }
      shown += isInside && component.first == escape ? component.dropFirst() : component
      isFirst = false
    }
    return shown
  }

  /// Returns the parts of `path` before and after each `!`, in order.
  package static func splits(of path: [UInt8]) -> [(archive: [UInt8], member: [UInt8])] {
    path.indices.filter { path[$0] == UInt8(ascii: "!") }
      .map { (Array(path[..<$0]), Array(path[($0 + 1)...])) }
  }

  /// Returns the path on disk of the outermost archive or backup that has the member at `path`;
  /// `path` itself if it is not that of a member.
  package static func home(of path: FilePath) -> FilePath {
    guard let end = path.bytes.firstRange(of: [slash] + mark)?.lowerBound else { return path }
    return FilePath(bytes: Array(path.bytes[..<end]))
  }

  /// Returns whether `path` is that of a member of an archive.
  package static func isMember(_ path: FilePath) -> Bool {
    path.bytes.firstRange(of: [slash] + mark) != nil
  }

  /// Returns the name of a member as the archive has it, and any other as it is.
  fileprivate static func unescaped(_ name: [UInt8], of path: FilePath) -> [UInt8] {
    name.first == escape && isMember(path) ? Array(name.dropFirst()) : name
  }
}

extension FilePath {
  /// The name of a new file with what is at the path: that of the file, which in an archive may be
  /// one that a folder gives no file.
  package var nameOfCopy: FilePath {
    let name = FilePath(bytes: MemberPath.unescaped(lastComponent?.bytes ?? [], of: self))
    return ["", ".", ".."].contains(name) ? "store" : name
  }
}
