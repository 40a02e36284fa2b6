import Foundation
import KVBytes
import KVSystem
package import SystemPackage

/// A folder for the files of one test, which is removed with all that is in it.
package struct TemporaryFolder: ~Copyable {
  /// Where it is.
  package let path: FilePath

  /// A new, empty folder in `parent`, or where temporary files are kept.
  package init(in parent: FilePath? = nil) throws {
    path = (parent ?? FilePath(FileManager.default.temporaryDirectory.path))
      .appending("kvfsck-test-\(UUID().uuidString)")
    try Folder.make(path)
  }

  deinit { _ = try? FileManager.default.removeItem(atPath: path.string) }

  /// Writes `bytes` into a file called `name`, which gets the permissions `mode`, and returns its
  /// path.
  @discardableResult
  package borrowing func write(
    _ bytes: [UInt8], to name: String, mode: Int = 0o644
  ) throws -> FilePath {
    let file = path.appending(name)
    try Data(bytes).write(to: URL(fileURLWithPath: file.string))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.string)
    return file
  }

  /// The names in it, sorted; those of hidden files too.
  package borrowing func names() throws -> [String] { try Folder.allNames(in: path) }

  /// The bytes of the file called `name`.
  package borrowing func bytes(of name: String) throws -> [UInt8] {
    try FileImage.read(path.appending(name)).bytes
  }

  /// Makes a symbolic link called `name` that leads to `target`, and returns its path.
  package borrowing func link(_ name: String, to target: String) throws -> FilePath {
    let link = path.appending(name)
    try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: target)
    return link
  }
}
