/// The settings of a store, which an app decides before it writes the first entry.
///
/// Each format uses some of them; see `Docs/FIXTURES.md`.
public struct StoreSettings: Hashable, Sendable {
  /// How FastKV for Android writes.
  public enum WritingMode: String, Hashable, Sendable, CaseIterable {
    /// Into two mapped copies.
    case nonBlocking = "nb"
    /// Into a file that takes the place of the last one, before the call returns.
    case sync
    /// The same, later.
    case async
  }

  /// The format.
  public var format = SimulatedFormat.mmkv
  /// The name of the store.
  public var name = "kv"
  /// The key that it is encrypted with.
  public var key: StoreKey?
  /// How many bytes a page has.
  public var page = 4096
  /// The smallest length of the file, in bytes.
  public var capacity = 0
  /// The width of a pointer in the process, 4 or 8 bytes.
  public var width = 8
  /// How the file of an iOS FastKV grows: 0 by powers of two, 1 by eighths.
  public var growth = 0
  /// How FastKV for Android writes.
  public var mode = WritingMode.nonBlocking
  /// The clock, in seconds since 1970.
  public var now: UInt32 = 1_760_000_000

  /// Creates the default settings.
  public init() {}
}
