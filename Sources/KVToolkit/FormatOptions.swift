package import ExchangeFormats
package import KVModel

/// A choice that writing a format leaves.
package enum FormatVariant: Hashable, Sendable {
  /// JSON as people write it: an object of keys and values.
  case plainJSON
  /// A property list as XML.
  case xml
}

/// What formats are opened and written with; each takes what it knows.
package struct FormatOptions: Sendable {
  /// The keys of encrypted stores.
  package var keys = KeyRing()
  /// Whether they are for AES-256, in formats that have both sizes; `nil` for AES-128, or where they are
  /// tried, for the size that fits.
  package var isAES256: Bool?
  /// The clock by which entries expire, in seconds since 1970.
  package var now: UInt32
  /// The ids that a store under a hashed name may have.
  package var ids: [String] = []
  /// The pointer width that a store is written with, 4 or 8 bytes; `nil` for that of what is read.
  package var pointerWidth: Int?
  /// What has the entries of a database that says nothing of itself.
  package var table: SQLiteTableReader?
  /// Keys that files may belong to whose entry is lost.
  package var candidateKeys: [String] = []
  /// What was chosen for writing.
  package var variants: Set<FormatVariant> = []

  /// Options with a clock and nothing else.
  package init(now: UInt32) { self.now = now }
}
