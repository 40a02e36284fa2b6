package import KVBytes
package import KVSystem
package import SystemPackage

/// Files whose names are not those of the disk, as a tree of folders: an archive, or a backup with an index.
package protocol MemberTree: AnyObject, Sendable {
  /// The names that the files have.
  var names: MemberNames { get }
  /// How many archives it is within, itself counted.
  var depth: Int { get }
  /// What archives in it may unpack to; `nil` where each has that of its own size.
  var budget: UnpackBudget? { get }
  /// What cannot be read, so far as that is known by now, and why.
  var problems: [(path: FilePath, reason: String)] { get }

  /// Returns what is wrong with the bytes of the file at `path`, which were read all the same; `nil` where
  /// nothing is known to be.
  func flaw(of path: FilePath) -> String?
  /// Returns whether the file at `path` is a picture or the like, which a scan does not look at.
  func isPassedOver(_ path: FilePath) -> Bool
  /// Returns the archive that the file at `path` is, or the backup that the folder is; `nil` where it is
  /// none.
  func archive(at path: FilePath) -> ArchiveFile?
  /// Returns the first bytes of the file at `path`, up to `count`.
  ///
  /// - Throws: As ``read(_:limit:)``, but for the size.
  func head(of path: FilePath, count: Int) throws(FileError) -> FileImage
  /// Returns all bytes of the file at `path`, of which there are no more than `limit`.
  ///
  /// - Throws: When there is none, or it cannot be read.
  func read(_ path: FilePath, limit: Int) throws(FileError) -> FileImage
}

extension MemberTree {
  /// The folders that hold everything, those of later layers after the first.
  var roots: [FilePath] { names.roots }
  /// Whether there is a file or a folder at `path`.
  func isTaken(_ path: FilePath) -> Bool {
    names.files[path] != nil || names.folders[path] != nil
  }
  /// Whether there is a folder at `path`, and not a file with the same name as well.
  package func isFolder(_ path: FilePath) -> Bool {
    names.folders[path] != nil && names.files[path] == nil
  }
  /// The files and the folders in the folder at `path`; none where there is no such folder.
  func contents(of path: FilePath) -> Folder.Contents { names.folders[path] ?? Folder.Contents() }
  /// Returns the names of the files in the folder at `path` that no earlier layer has; `nil` where all
  /// are.
  func additions(to path: FilePath) -> Set<FilePath.Component>? { names.additions[path] }
}

/// The names of files in a tree, and which member each is.
package struct MemberNames: Sendable {
  /// The folders that hold everything, those of later layers after the first.
  package internal(set) var roots: [FilePath]
  /// The number of the member at each path.
  var files: [FilePath: Int] = [:]
  var folders: [FilePath: Folder.Contents] = [:]
  /// Of the folders of later layers, the files that are in no earlier one.
  var additions: [FilePath: Set<FilePath.Component>] = [:]
}
