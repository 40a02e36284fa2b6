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
  /// The entries that were found and are not in it.
  public let leftOut: [LeftOut]
  /// Whether all that the store is known to have held is in it.
  public let isComplete: Bool
  /// The paths of the new files.
  public let files: [String]
  /// The folder with the old files, where they were replaced.
  public let backup: String?
}
