package import KVModel

/// An entry that was not read after a crash as it should have been.
package struct CrashProblem: Hashable, Sendable {
  /// What is wrong with it.
  package enum Kind: String, Hashable, Sendable {
    /// It must be there, its bytes are, and it was not found.
    case missed
    /// An older value was found, though the newest is in the files.
    case staleThoughThere = "stale"
    /// An older value is shown as sound.
    case staleAsSound = "stale-as-sound"
    /// It was never stored.
    case invented
  }

  /// What is wrong with it.
  package let kind: Kind
  /// Its key.
  package let key: Key
  /// The line of the operation, or its number, from 1.
  package let line: Int
  /// How the crash came, and what it left.
  package let state: CrashState
}
