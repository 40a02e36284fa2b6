package import KVModel

/// An entry that was read incorrectly after a crash.
package struct CrashProblem: Hashable, Sendable {
  /// The kind of a problem.
  package enum Kind: String, Hashable, Sendable {
    /// The entry must be there and its bytes are, but it was not found.
    case missed
    /// A stale value was found, although the newest one is in the files.
    case staleThoughThere = "stale"
    /// A stale value is presented as sound.
    case staleAsSound = "stale-as-sound"
    /// The value was never stored.
    case invented
    /// The library would load something else than what is predicted.
    case mispredicted
  }

  /// The kind of the problem.
  package let kind: Kind
  /// The key of the entry.
  package let key: Key
  /// The line of the operation, or its number from 1 if the script was not read from text.
  package let line: Int
  /// The cause of the crash, and the files that it left.
  package let state: CrashState
}
