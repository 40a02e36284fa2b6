import KVSystem
package import SystemPackage

/// The name of a file and of the folders above it, which show what the file is, whatever its bytes.
///
/// Apps and their libraries keep files of a format in folders with fixed names. The names are those
/// in the file system, not those by which the user got there: a path such as `.` has none, and a link
/// has its own.
package struct FileLocation: Hashable, Sendable {
  /// The name of the file.
  package let name: String
  /// The names of the folders above it, the innermost first.
  package let folders: [String]

  /// Creates the location of the file at `path`, a path without links.
  package init(_ path: FilePath) {
    // To split the bytes takes a fraction of the time for the path's components.
    var names = path.bytes.split(separator: UInt8(ascii: "/")).reversed()
      .map { String(decoding: $0, as: UTF8.self) }
    name = names.isEmpty ? "" : names.removeFirst()
    folders = names
  }

  /// The name of the folder that contains the file; empty if it is not known.
  package var folder: String { folders.first ?? "" }
}

extension FileSource {
  /// Returns where the file at `path` is, by the components of its path.
  ///
  /// Paths in an archive have no links, and begin at its root.
  package func location(of path: FilePath) -> FileLocation { FileLocation(path) }
}
