import Foundation
import KVBytes
import KVSystem
package import SystemPackage

/// A folder for the files of one test, which is removed with its contents.
package struct TemporaryFolder: ~Copyable {
  /// The path of the folder.
  package let path: FilePath

  /// Creates an empty folder in `parent`, or in the system's temporary folder.
  package init(in parent: FilePath? = nil) throws {
    path = (parent ?? FilePath(FileManager.default.temporaryDirectory.path))
      .appending("kvfsck-test-\(UUID().uuidString)")
    try Folder.make(path)
  }

  deinit { _ = try? FileManager.default.removeItem(atPath: path.string) }

  /// Writes `bytes` to a file called `name` with the permissions `mode`, and returns its path.
  @discardableResult
  package borrowing func write(
    _ bytes: [UInt8], to name: String, mode: Int = 0o644
  ) throws -> FilePath {
    let file = path.appending(name)
    try Data(bytes).write(to: URL(fileURLWithPath: file.string))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.string)
    return file
  }

  /// Returns the names in the folder, sorted, including those of hidden files.
  package borrowing func names() throws -> [String] { try Folder.allNames(in: path) }

  /// Returns the bytes of the file called `name`.
  package borrowing func bytes(of name: String) throws -> [UInt8] {
    try FileImage.read(path.appending(name)).bytes
  }

  /// Creates a symbolic link called `name` to `target`, and returns its path.
  package borrowing func link(_ name: String, to target: String) throws -> FilePath {
    let link = path.appending(name)
    try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: target)
    return link
  }
}
