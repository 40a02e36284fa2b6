import KVBytes
package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Who owns a file, and who may do what with it.
package struct FileAccess: Hashable, Sendable {
  private let user: UserID
  private let group: GroupID
  private let permissions: FilePermissions

  /// The access of the file at `path`; `nil` where it cannot be examined, or is a link.
  package init?(of path: FilePath) {
    guard let status = try? Stat(path, followTargetSymlink: false), status.type == .regular else {
      return nil
    }
    user = status.userID
    group = status.groupID
    permissions = status.permissions
  }

  /// The same owner, with the permissions that both have, but for the owner's.
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

  /// Gives a new file this access.
  ///
  /// A process that may not give files away keeps them: then its own group gets no more than all have.
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
