public import KVModel

/// An operation that an app carries out on its store.
public enum ScriptOperation: Hashable, Sendable {
  /// Sets a key to a value.
  ///
  /// The lifetime is in seconds. It is 0 if the entry never expires, and `nil` for the default of
  /// the store.
  case set(Key, Value, lifetime: UInt32? = nil)
  /// Removes one or more keys in one call.
  case remove([Key])
  /// Removes all entries, and keeps the length of the file if `keepsSpace` is `true`.
  case clear(keepsSpace: Bool = false)
  /// Shrinks the file to the space that it needs.
  case trim
  /// Rewrites the log without its dead records.
  case compact
  /// Encrypts the store with another key, or decrypts it if the key is `nil`.
  case rekey(StoreKey?)
  /// Gives every entry an expiry time.
  ///
  /// The argument is the default lifetime in seconds, or 0 for never.
  case enableExpiry(UInt32)
  /// Removes the expiry times.
  case disableExpiry
  /// Skips writing unchanged values from here on.
  case compareBeforeSet
  /// Waits until the files are on disk.
  case sync
  /// Kills the process and opens the store again.
  case reopen
  /// Sets the clock, in seconds since 1970.
  case now(UInt32)
}
