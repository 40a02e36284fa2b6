/// The settings of a store, which an app chooses before it writes the first entry.
///
/// Each format uses some of them. See `Docs/FIXTURES.md`.
public struct StoreSettings: Hashable, Sendable {
  /// The writing mode of FastKV for Android.
  public enum WritingMode: String, Hashable, Sendable, CaseIterable {
    /// Changes are written to two mapped copies.
    case nonBlocking = "nb"
    /// Each change replaces the file before the call returns.
    case sync
    /// Each change replaces the file in the background.
    case async
  }

  /// The format.
  public var format = SimulatedFormat.mmkv
  /// The name of the store.
  public var name = "kv"
  /// The key with which the store is encrypted, or `nil` if it is not encrypted.
  public var key: StoreKey?
  /// The size of a page, in bytes.
  public var page = 4096
  /// The initial and minimum length of the file, in bytes.
  public var capacity = 0
  /// The size of a pointer in the process, 4 or 8 bytes.
  public var width = 8
  /// The growth strategy of FastKV for iOS: 0 for powers of two, 1 for eighths.
  public var growth = 0
  /// The writing mode of FastKV for Android.
  public var mode = WritingMode.nonBlocking
  /// The current time, in seconds since 1970.
  public var now: UInt32 = 1_760_000_000

  /// Creates the default settings.
  public init() {}
}
