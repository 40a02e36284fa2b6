/// The numbers of the fields in a Preferences DataStore file.
///
/// Reference: the class constants of `PreferencesProto` in `androidx.datastore`.
enum DataStoreField {
  /// `PreferenceMap.preferences`, an entry of the map.
  static let entry: UInt64 = 1
  /// The key of an entry.
  static let key: UInt64 = 1
  /// The `Value` of an entry.
  static let value: UInt64 = 2
  /// `StringSet.strings`.
  static let text: UInt64 = 1

  /// The members of `Value`, exactly one of which is set.
  enum Member {
    static let bool: UInt64 = 1
    static let float: UInt64 = 2
    static let int32: UInt64 = 3
    static let int64: UInt64 = 4
    static let string: UInt64 = 5
    static let set: UInt64 = 6
    static let double: UInt64 = 7
    static let bytes: UInt64 = 8
  }
}
