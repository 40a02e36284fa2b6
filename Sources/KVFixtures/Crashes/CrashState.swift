/// The files that a crash leaves, and its cause.
package struct CrashState: Hashable, Sendable {
  /// The cause.
  package let cause: CrashCause
  /// The files.
  package let image: DiskImage
}
