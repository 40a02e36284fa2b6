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

  /// Whether the format has room for what vouches for an entry.
  static var keepsEvidence: Bool { get }

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

  /// Whether there is room for evidence: no.
  public static var keepsEvidence: Bool { false }

  /// The fit of a value in a format without expiry.
  public func withoutExpiry(_ entry: TypedEntry) -> EntryFit {
    guard entry.expiry != 0 else { return EntryFit(entry) }
    return EntryFit(
      entry.withoutExpiry, [.expiryLost(entry.expiry, in: Self.name)])
  }

  /// The fit of a value that the format has another type for.
  public func changingType(_ entry: TypedEntry, to value: Value) -> EntryFit {
    EntryFit(entry.with(value), [.typeChanged(entry.value, to: value, in: Self.name)])
  }

  /// The fit of a value that the format has no type for, in another form.
  public func changingValue(
    _ entry: TypedEntry, to value: Value, because reason: String
  ) -> EntryFit {
    EntryFit(entry.with(value), [.valueChanged(entry.value, to: value, reason)])
  }

  /// The fit of a container that the format has no type for: its plain JSON, as `text` makes a value of
  /// it.
  public func asJSON(_ entry: TypedEntry, _ text: (String) -> Value) -> EntryFit {
    guard let json = entry.value.plainJSON else {
      return EntryFit(leftOut: "\(Self.name) has no \(entry.value.kind), and JSON has no NaN")
    }
    return changingValue(
      entry, to: text(json),
      because: "\(Self.name) has no \(entry.value.kind); written as plain JSON"
    )
  }

  /// The fit of an object's data in a format that keeps no class names.
  public func withoutClass(_ entry: TypedEntry, _ name: String, _ bytes: [UInt8]) -> EntryFit {
    EntryFit(entry.with(.bytes(bytes)), [.classLost(name, in: Self.name)])
  }
}
