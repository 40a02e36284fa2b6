import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A folder, and when its names last changed.
struct FolderState: Hashable {
  /// The age, in seconds, from which another change gives another time on every file system.
  private static let least = 3

  private let path: FilePath
  private let device: DeviceID
  private let inode: Inode
  private let seconds: Int
  private let nanoseconds: Int

  /// Returns the state of the folder at `path`; `nil` if there is none.
  init?(of path: FilePath) {
    guard let status = try? Stat(path.orCurrent) else { return nil }
    self.path = path
    device = status.deviceID
    inode = status.inode
    seconds = Int(status.st_mtim.tv_sec)
    nanoseconds = Int(status.st_mtim.tv_nsec)
  }

  /// Whether the last change is so long ago that the next one shows.
  var isOld: Bool { Int(SystemClock.secondsSince1970) - seconds >= Self.least }
}
