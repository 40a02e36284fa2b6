public import ExchangeFormats
import MMKVFormat

/// A choice that writing a format leaves.
public enum FormatVariant: Hashable, Sendable {
  /// JSON as people write it: an object of keys and values.
  case plainJSON
  /// A property list as XML.
  case xml
}

/// What formats are opened and written with; each takes what it knows.
public struct FormatOptions: Sendable {
  /// The key of encrypted stores; nil for none.
  public var key: [UInt8]?
  /// Whether the key is for AES-256, in formats that have both sizes.
  public var isAES256 = false
  /// The clock by which entries expire, in seconds since 1970.
  public var now: UInt32
  /// The ids that a store under a hashed name may have.
  public var ids: [String] = []
  /// The pointer width that a store is written with, 4 or 8 bytes; nil for that of what is read.
  public var pointerWidth: Int?
  /// What has the entries of a database that says nothing of itself.
  public var table: SQLiteTableReader?
  /// Keys that files may belong to whose entry is lost.
  public var candidateKeys: [String] = []
  /// What was chosen for writing.
  public var variants: Set<FormatVariant> = []

  /// Options with a clock and nothing else.
  public init(now: UInt32) { self.now = now }

  /// The key as MMKV takes it, whose engine takes an empty one for none.
  var mmkvKey: MMKVKey? {
    key.flatMap { $0.isEmpty ? nil : MMKVKey($0, isAES256: isAES256) }
  }
}
