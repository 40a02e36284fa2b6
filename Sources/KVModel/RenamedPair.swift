import KVBytes
import KVSystem
package import SystemPackage

/// The names of a store's main file and its side file after both were renamed alike.
///
/// Copies often are: `user` and `user.crc` become `user.bak` and `user.crc.bak`, `user (1)` and
/// `user.crc (1)`, or `USER` and `USER.CRC`.
package enum RenamedPair {
  /// The characters that an addition to a name begins with.
  private static let separators = Array(".-_ (~".utf8)
  /// The largest number of separators in an addition.
  private static let separatorLimit = 16

  /// Returns the paths that the side file of `main` with `suffix` may have been given.
  package static func sides(of main: FilePath, suffix: String) -> [FilePath] {
    sides(of: main.bytes, suffix: suffix).map { FilePath(bytes: $0) }
  }

  /// Returns the same for the bytes of a path, or of a name alone.
  package static func sides(of main: [UInt8], suffix: String) -> [[UInt8]] {
    let (folder, name) = parts(of: main)
    // `a.crc` is a name as it is; its side file is `a.crc.crc`.
    let places = name.indices.dropFirst().filter {
      separators.contains(name[$0]) && !name[$0...].elementsEqual(suffix.utf8)
    }
    return places.suffix(separatorLimit).map {
      folder + name[..<$0] + suffix.utf8 + name[$0...]
    } + [main + suffix.uppercased().utf8]
  }

  /// Returns the main file that the side file with the path `side` and `suffix` would belong to;
  /// `nil` if it has the suffix neither in capital letters nor before an addition.
  package static func main(of side: FilePath, suffix: String) -> FilePath? {
    if let main = side.removing(suffix: suffix.uppercased()) { return main }
    let (folder, name) = parts(of: side.bytes)
    return name.indices.lazy.filter { name[$0...].starts(with: suffix.utf8) }
      .map { FilePath(bytes: folder + name[..<$0] + name[($0 + suffix.utf8.count)...]) }
      .first { sides(of: $0, suffix: suffix).contains(side) }
  }

  /// Returns the bytes of a path up to its last component, and those of the last component.
  private static func parts(of path: [UInt8]) -> (folder: [UInt8], name: [UInt8]) {
    let start = path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
    return (Array(path[..<start]), Array(path[start...]))
  }
}
