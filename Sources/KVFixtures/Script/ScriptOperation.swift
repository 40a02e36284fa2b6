public import KVModel

/// An operation of an app on its store.
public enum ScriptOperation: Hashable, Sendable {
  /// Sets a key to a value; with a lifetime in seconds, 0 for ever, `nil` for the store's own.
  case set(Key, Value, lifetime: UInt32? = nil)
  /// Removes keys, several of them in one call.
  case remove([Key])
  /// Removes all entries; the file keeps its length where `keepsSpace`.
  case clear(keepsSpace: Bool = false)
  /// Gives back room that is not needed.
  case trim
  /// Rewrites the log without what is dead.
  case compact
  /// Encrypts with another key, or with none.
  case rekey(StoreKey?)
  /// Gives every value a time of expiry: after so many seconds, 0 for never.
  case enableExpiry(UInt32)
  /// Takes the times of expiry away.
  case disableExpiry
  /// From here on, a value that is there already is not written again.
  case compareBeforeSet
  /// Waits until the files are on the disk.
  case sync
  /// Ends the process and opens the store again.
  case reopen
  /// Sets the clock, in seconds since 1970.
  case now(UInt32)
}
