import KVBytes
package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The owner, group and permissions of a file.
package struct FileAccess: Hashable, Sendable {
  private let user: UserID
  private let group: GroupID
  private let permissions: FilePermissions

  /// Reads the access of the file at `path`; `nil` if it cannot be examined or is not a regular
  /// file.
  package init?(of path: FilePath) {
    guard let status = try? Stat(path, followTargetSymlink: false), status.type == .regular else {
      return nil
    }
    user = status.userID
    group = status.groupID
    permissions = status.permissions
  }

  /// Returns the same owner with the permissions that both have; the owner may always read and
  /// write.
  package func limited(to others: FilePermissions) -> FileAccess {
    FileAccess(
      user: user, group: group,
      permissions: permissions.intersection(others).union(.ownerReadWrite))
  }

  private init(user: UserID, group: GroupID, permissions: FilePermissions) {
    self.user = user
    self.group = group
    self.permissions = permissions
  }

  /// Applies this access to a new file.
  ///
  /// A process that may not change the file's group keeps its own; that group then gets no more
  /// permissions than everyone has.
  func give(to descriptor: FileDescriptor) throws(Errno) {
    var granted = permissions
    if fchown(descriptor.rawValue, user.rawValue, group.rawValue) != 0,
      (try? Stat(descriptor))?.groupID != group
    {
      let others = permissions.rawValue & 0o007
      granted = granted.intersection(FilePermissions(rawValue: 0o707 | others << 3))
    }
    guard fchmod(descriptor.rawValue, granted.rawValue) == 0 else {
      throw Errno(rawValue: errno)
    }
  }
}
