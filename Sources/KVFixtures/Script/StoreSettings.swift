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
  /// The format without a log that is written instead of ``format``, if it is not `nil`.
  package var table: TableFormat?
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

  /// The page sizes that a script can state.
  static let pages = 4096...65536
  /// The capacities that a script can state.
  static let capacities = 0...(1 << 28)
  /// The pointer widths that a script can state.
  static let widths = 4...8
  /// The growth strategies.
  static let growths = 0...1

  /// The name of the format that is written.
  package var formatName: String { table?.rawValue ?? format.rawValue }

  /// Chooses the format called `name`, and returns whether there is one.
  package mutating func chooseFormat(_ name: String) -> Bool {
    table = TableFormat(rawValue: name)
    guard table == nil else { return true }
    guard let format = SimulatedFormat(rawValue: name) else { return false }
    self.format = format
    return true
  }

  /// The names of all formats that can be written.
  package static let formatNames =
    SimulatedFormat.allCases.map(\.rawValue) + TableFormat.allCases.map(\.rawValue)

  /// Throws an error if the page is not a power of two, or has no room for `headerCount` bytes.
  func checkPage(holding headerCount: Int) throws(ScriptError) {
    guard page > 0, page & (page - 1) == 0 else {
      throw ScriptError(line: nil, "the page size, \(page) bytes, is not a power of two")
    }
    guard page > headerCount else {
      throw ScriptError(
        line: nil, "the page size, \(page) bytes, leaves no room after a header of \(headerCount)")
    }
  }

  /// Creates the default settings of a store of `table`, which has no log.
  package init(writing table: TableFormat) { self.table = table }

  /// Creates the default settings.
  public init() {}
}
