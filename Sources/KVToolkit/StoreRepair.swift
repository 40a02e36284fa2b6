public import KVModel

/// The result of a repair: what was written, and what was left out.
public struct StoreRepair: Hashable, Sendable {
  /// An entry that was found but is not in the new store.
  public struct LeftOut: Hashable, Sendable {
    /// Its key.
    public let key: Key
    /// The reason, for people.
    public let reason: String
  }

  /// The number of entries in the new store.
  public let keptCount: Int
  /// The entries that were found but are not in the new store: guesses, entries that the engine
  /// cannot hold, and those that the answer leaves out.
  public let leftOut: [LeftOut]
  /// Whether nothing is known to be missing from the new store.
  public let isComplete: Bool
  /// The paths of the new files.
  public let files: [String]
  /// The folder with the old files; `nil` if they were not replaced.
  public let backup: String?
}
