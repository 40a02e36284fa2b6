public import KVBytes
public import SystemPackage

/// A format that typed entries are written in.
public protocol EntryEncoder: Sendable {
  /// The format's name, as `--to` takes it.
  static var name: String { get }
  /// What is put behind the name of a store whose output has no name of its own.
  static var suffix: String { get }
  /// Whether a reader of the format finds the types in it, without a schema.
  static var keepsTypes: Bool { get }

  /// What becomes of `entry`.
  ///
  /// Whoever reads back what ``write(_:to:into:)`` has written finds exactly these entries.
  func fit(_ entry: TypedEntry) -> EntryFit

  /// Writes the entries of `source`, each of which ``fit(_:)`` has returned, to files at `path` and,
  /// where the format has several, beside it.
  ///
  /// - Throws: When the entries are too many for the format, or a file cannot be written; then
  ///   nothing is left behind.
  func write(
    _ source: EntrySource, to path: FilePath, into files: inout PendingWrite
  ) throws(ConversionError)
}

extension EntryEncoder {
  /// Whether a reader finds the types: yes.
  public static var keepsTypes: Bool { true }

  /// The fit of a value in a format without expiry.
  public func withoutExpiry(_ entry: TypedEntry) -> EntryFit {
    guard entry.expiry != 0 else { return EntryFit(entry) }
    return EntryFit(
      entry.withoutExpiry, [.expiryLost(entry.expiry, in: Self.name)])
  }
}
