/// The files as a crash leaves them, and how it came.
package struct CrashState: Hashable, Sendable {
  /// How it came.
  package let cause: CrashCause
  /// What is in the files.
  package let image: DiskImage
}
