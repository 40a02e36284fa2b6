package import ExchangeFormats
package import KVModel

/// A variant in which a format can be written.
package struct FormatVariants: OptionSet, Sendable {
  // An option set, because the first set of each type costs every command a search among all types.
  package let rawValue: UInt8

  /// Creates the variants with these bits.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Plain JSON: an object of keys and values.
  package static let plainJSON = FormatVariants(rawValue: 1)
  /// A property list as XML.
  package static let xml = FormatVariants(rawValue: 2)
  /// A store that is encrypted under a key.
  package static let encrypted = FormatVariants(rawValue: 4)
}

/// The options for opening and writing formats; each format uses those that it knows.
package struct FormatOptions: Sendable {
  /// The keys of encrypted stores.
  package var keys = KeyRing()
  /// Whether the keys are for AES-256, in formats that have both sizes.
  ///
  /// If this is `nil`, keys that are only tried use the size that fits, and other keys are for
  /// AES-128.
  package var isAES256: Bool?
  /// The time by which entries expire, in seconds since 1970.
  package var now: UInt32
  /// The IDs that a store with a hashed file name may have.
  package var ids: [String] = []
  /// The pointer width of a written store, 4 or 8 bytes; `nil` for that of the store that was
  /// read.
  package var pointerWidth: Int?
  /// The table with the entries, for a database that does not describe itself.
  package var table: SQLiteTableReader?
  /// Keys that may belong to value files whose entry is lost.
  package var candidateKeys: [String] = []
  /// The variants that were chosen for writing.
  package var variants: FormatVariants = []

  /// Creates options with a time and defaults for everything else.
  package init(now: UInt32) { self.now = now }
}
