public import KVModel

/// What a repair has written, and what it has left out.
public struct StoreRepair: Hashable, Sendable {
  /// An entry that was found and is not in the new store.
  public struct LeftOut: Hashable, Sendable {
    /// Its key.
    public let key: Key
    /// Why, for people.
    public let reason: String
  }

  /// How many entries the new store has.
  public let keptCount: Int
  /// The entries that were found and are not in the new store: guesses, and what the engine cannot hold.
  public let leftOut: [LeftOut]
  /// Whether nothing is known to be missing from the new store.
  public let isComplete: Bool
  /// The paths of the new files.
  public let files: [String]
  /// The folder with the old files; `nil` if they were not replaced.
  public let backup: String?
}
