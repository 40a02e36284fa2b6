import KVBytes
package import SystemPackage

/// Paths of what is in an archive: `evidence.zip!data/user`.
///
/// Such a path is kept as `evidence.zip/␁!/data/user`, where ␁ is the byte 1. It is made of names, as
/// that of a file in a folder is, so that all that is done with names is done here too; and it leads
/// nowhere on a disk, for what is before the mark is a file. A name that would lead out of its folder,
/// or could be taken for the mark, has the byte 1 before it, which is not shown.
package enum MemberPath {
  private static let slash = UInt8(ascii: "/")
  private static let escape: UInt8 = 1
  /// How the name begins that stands between the archive and what is in it.
  private static let mark: [UInt8] = [escape, UInt8(ascii: "!")]

  /// Returns the folder that holds what is in the archive at `path`; `layer` counts from 1 and is that
  /// of the second, third, … member with the same name.
  package static func root(of path: FilePath, layer: Int = 1) -> FilePath {
    let number = layer == 1 ? "" : "#\(layer)!"
    return FilePath(bytes: path.bytes + [slash] + mark + number.utf8)
  }

  /// Returns the path of the member with the name `name` in the folder `root`; `nil` for a name with
  /// nothing in it.
  ///
  /// The names `.` and those that are empty are left out, but for an empty one at the start, which is
  /// that of an absolute path.
  package static func path(of name: [UInt8], in root: FilePath) -> FilePath? {
    let components = name.split(separator: slash, omittingEmptySubsequences: false)
    var bytes: [UInt8] = []
    for (index, component) in components.enumerated() {
      let isAbsolute = index == 0 && component.isEmpty && components.count > 1
      if component.isEmpty && !isAbsolute || component.elementsEqual(".".utf8) { continue }
      let isEscaped =
        isAbsolute || component.first == escape || component.elementsEqual("..".utf8)
      bytes += [slash] + (isEscaped ? [escape] : []) + component
    }
    let isEmpty = bytes.allSatisfy { $0 == slash || $0 == escape }
    return isEmpty ? nil : FilePath(bytes: root.bytes + bytes)
  }

  /// Returns `bytes`, those of a path, as people read them and name the member.
  static func shown(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(escape) else { return bytes }
    var shown: [UInt8] = []
    var (isInside, isFirst) = (false, true)
    for component in bytes.split(separator: slash, omittingEmptySubsequences: false) {
      if component.starts(with: mark), !isFirst {
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

  /// Returns the parts of `path` before and after each `!`, the shortest first part first.
  package static func splits(of path: [UInt8]) -> [(archive: [UInt8], member: [UInt8])] {
    path.indices.filter { path[$0] == UInt8(ascii: "!") && $0 > 0 }
      .map { (Array(path[..<$0]), Array(path[($0 + 1)...])) }
  }

  /// Whether `path` is that of something in an archive.
  package static func isMember(_ path: FilePath) -> Bool {
    path.bytes.firstRange(of: [slash] + mark) != nil
  }
}
