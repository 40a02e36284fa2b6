import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension FilePermissions {
  /// These permissions for a new file in `folder`, if that gives its files another group than that of
  /// the process: its members, who may have been anyone to the file's sources, then get only what
  /// everyone gets too, and everyone what they get.
  ///
  /// A folder does so that has the set-group-ID bit, and on Apple's systems every folder.
  func limited(in folder: FilePath) -> FilePermissions {
    guard let status = try? Stat(folder.orCurrent), status.groupID.rawValue != getegid() else {
      return self
    }
    #if !canImport(Darwin)
      guard status.permissions.contains(.setGroupID) else { return self }
    #endif
    return withoutDifferenceOfGroups
  }

  /// These permissions, with only what the group and everyone both have of what either has.
  var withoutDifferenceOfGroups: FilePermissions {
    let both = rawValue >> 3 & rawValue & 0o7
    return intersection(FilePermissions(rawValue: 0o700 | both << 3 | both))
  }
}
