package import KVModel
package import SystemPackage

/// The differences between the entries of two stores, by key and typed value.
package struct Comparison {
  /// A difference between the stores in one key.
  package struct Difference: Sendable {
    /// What happened to a key from the first store to the second.
    package enum Change: String, Sendable, CaseIterable {
      /// Only the second store has the key.
      case added
      /// Only the first store has the key.
      case removed
      /// Both stores have the key, with different values or expiry times.
      case changed
      /// Both stores have the same value with different types, such as 5 as int32 and as int64.
      case retyped
    }

    /// What happened.
    package let change: Change
    /// The entry in the first store; `nil` if the key was added.
    package let before: TypedEntry?
    /// The entry in the second store; `nil` if the key was removed.
    package let after: TypedEntry?
  }

  /// The differences: added and changed keys in the order of the second store, then removed keys in
  /// the order of the first.
  package let differences: [Difference]
  /// The number of entries that are the same in both stores.
  package let sameCount: Int
  /// The data files of the first and the second store; `nil` for a store without one.
  package let stores: [FilePath?]

  /// Compares two stores whose values may have no types yet.
  ///
  /// Types come from `schema` first. A key gets the same type in both stores if one type fits both
  /// values.
  ///
  /// - Throws: The errors of reading the stores.
  /// - Complexity: The entries of `first` are held in memory.
  package init(
    _ first: ReadSource, _ second: ReadSource, schema: TypeSchema
  ) throws(ConversionError) {
    let types = SharedTypes(first, second, schema)
    try self.init(
      first.typed(by: types.schema, likely: types.typing, assumesLikeliest: true),
      second.typed(by: types.schema, likely: types.typing, assumesLikeliest: true))
  }

  /// Compares the entries of `first` with those of `second`.
  ///
  /// If both sources have the same format, and it stores no types, entries with equal value bytes
  /// and expiry times are equal, even if the values were given different types.
  ///
  /// - Throws: The errors of reading the sources.
  /// - Complexity: The entries of `first` are held in memory.
  package init(_ first: TypedSource, _ second: TypedSource) throws(ConversionError) {
    var older: [Key: TypedEntry] = [:]
    var order: [Key] = []
    try first.forEachEntry { (entry, _) throws(ConversionError) in
      older[entry.key] = entry
      order.append(entry.key)
    }
    var differences: [Difference] = []
    var sameCount = 0
    let isUntyped =
      first.formatName == second.formatName && !first.storesTypes && !second.storesTypes
    try second.forEachEntry { (entry, _) throws(ConversionError) in
      guard let before = older.removeValue(forKey: entry.key) else {
        differences.append(Difference(change: .added, before: nil, after: entry))
        return
      }
      switch Self.change(from: before, to: entry, isUntyped: isUntyped) {
      case nil: sameCount += 1
      case let change?:
        differences.append(Difference(change: change, before: before, after: entry))
      }
    }
    for key in order {
      if let entry = older[key] {
        differences.append(Difference(change: .removed, before: entry, after: nil))
      }
    }
    stores = [first.stores.first, second.stores.first]
    self.differences = differences
    self.sameCount = sameCount
  }

  /// Returns the number of differences of one kind.
  package func count(of change: Difference.Change) -> Int {
    differences.count { $0.change == change }
  }

  private static func change(
    from before: TypedEntry, to after: TypedEntry, isUntyped: Bool
  ) -> Difference.Change? {
    if before.hasSameContent(as: after) { return nil }
    guard before.expiry == after.expiry else { return .changed }
    if isUntyped, let one = before.origin.raw, let other = after.origin.raw, one == other {
      // The bytes are the same. The types differ because one store's history says more about them.
      return nil
    }
    return before.value.meansTheSame(as: after.value) ? .retyped : .changed
  }
}
