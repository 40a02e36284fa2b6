/// The files as a crash leaves them, and how it came.
public struct CrashState: Hashable, Sendable {
  /// How it came.
  public let cause: CrashCause
  /// What is in the files.
  public let image: DiskImage
}
