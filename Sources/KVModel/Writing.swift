import KVBytes
package import KVSystem
package import SystemPackage

/// The content of a new store: the entries that a repair keeps, as bytes.
package struct StoreContents: Hashable, Sendable {
  /// One entry.
  package struct Entry: Hashable, Sendable {
    /// The key.
    package let key: Key
    /// The value, as a record of the format stores it.
    package let value: [UInt8]
    /// The record that it comes from, in the store that the new one is modeled on.
    ///
    /// A format whose records have types takes the type from there. It is `nil` for an entry from
    /// elsewhere.
    package let source: Record?

    /// An entry.
    package init(key: Key, value: [UInt8], from source: Record? = nil) {
      self.key = key
      self.value = value
      self.source = source
    }
  }

  /// The entries, oldest first; no key twice.
  package let entries: [Entry]

  /// Creates contents from these entries.
  package init(_ entries: [Entry]) { self.entries = entries }
}

/// A format with a log to which typed entries can be written.
package protocol StoreEncoder: EntryEncoder, StoreFormat {
  /// Returns the files of a new store called `name` that holds `entries`, each of which ``fit(_:)`` has
  /// returned.
  ///
  /// - Throws: When the entries are too many for the format.
  func files(
    named name: FilePath, _ entries: [TypedEntry]
  ) throws(EncodingError) -> [EncodedFile]
}

/// A format to which typed entries can be written.
package protocol EntryEncoder: Sendable {
  /// The format's name, as `--to` takes it.
  static var name: String { get }
  /// The suffix of the output's name, if the output has no name of its own; the store's name
  /// precedes it.
  static var suffix: String { get }
  /// Whether a reader of the format finds the types in it, without a schema.
  static var keepsTypes: Bool { get }

  /// Whether the format can hold the evidence for an entry.
  static var keepsEvidence: Bool { get }

  /// Returns what becomes of `entry`.
  ///
  /// A reader of what ``write(_:to:into:)`` has written finds exactly these entries.
  func fit(_ entry: TypedEntry) -> EntryFit

  /// Writes the entries of `source`, each of which ``fit(_:)`` has returned, to files at `path` and,
  /// where the format has several, beside it.
  ///
  /// - Throws: When the entries are too many for the format, or a file cannot be written; then
  ///   nothing is left.
  func write(
    _ source: EntrySource, to path: FilePath, into files: inout PendingWrite
  ) throws(ConversionError)
}

extension EntryEncoder {
  /// Whether a reader finds the types: it does.
  package static var keepsTypes: Bool { true }

  /// Whether the format can hold evidence: it cannot.
  package static var keepsEvidence: Bool { false }

  /// Returns the fit of a value in a format without expiry.
  package func withoutExpiry(_ entry: TypedEntry) -> EntryFit {
    guard entry.expiry != 0 else { return EntryFit(entry) }
    return EntryFit(
      entry.withoutExpiry, [.expiryLost(entry.expiry, in: Self.name)])
  }

  /// Returns the fit of a value for which the format has another type.
  package func changingType(_ entry: TypedEntry, to value: Value) -> EntryFit {
    EntryFit(entry.with(value), [.typeChanged(entry.value, to: value, in: Self.name)])
  }

  /// Returns the fit of a value for which the format has no type, in another form.
  package func changingValue(
    _ entry: TypedEntry, to value: Value, because reason: String
  ) -> EntryFit {
    EntryFit(entry.with(value), [.valueChanged(entry.value, to: value, reason)])
  }

  /// Returns the fit of a container for which the format has no type: its plain JSON, which `text`
  /// turns into a value.
  package func asJSON(_ entry: TypedEntry, _ text: (String) -> Value) -> EntryFit {
    guard let json = entry.value.plainJSON else {
      return EntryFit(leftOut: "\(Self.name) has no \(entry.value.kind), and JSON has no NaN")
    }
    return changingValue(
      entry, to: text(json),
      because: "\(Self.name) has no \(entry.value.kind); written as plain JSON"
    )
  }

  /// Returns the fit of an object's data in a format that keeps no class names.
  package func withoutClass(_ entry: TypedEntry, _ name: String, _ bytes: [UInt8]) -> EntryFit {
    EntryFit(entry.with(.bytes(bytes)), [.classLost(name, in: Self.name)])
  }
}

/// What becomes of an entry in a format: the entry that will be read back, and how it differs.
package struct EntryFit: Hashable, Sendable {
  /// The entry as the format holds it; `nil` if it cannot.
  package let entry: TypedEntry?
  /// The differences.
  package let losses: [Loss]

  /// Creates the fit of an entry that becomes `entry`.
  package init(_ entry: TypedEntry, _ losses: [Loss] = []) {
    self.entry = entry
    self.losses = losses
  }

  /// Creates the fit of an entry that the format cannot hold.
  package init(leftOut reason: String) {
    entry = nil
    losses = [.leftOut(reason)]
  }

  /// Returns this fit followed by `change`, which gets the entry and returns what becomes of it;
  /// the losses of both are kept.
  package func then(_ change: (TypedEntry) -> EntryFit) -> EntryFit {
    guard let entry else { return self }
    let next = change(entry)
    return EntryFit(next.entry, losses + next.losses)
  }

  private init(_ entry: TypedEntry?, _ losses: [Loss]) {
    self.entry = entry
    self.losses = losses
  }
}

/// A difference of an entry in the format that it is converted to.
package struct Loss: Hashable, Sendable {
  /// The kind of difference.
  package let kind: FindingCode
  /// The stable name of the kind, such as `convert.type-changed`; `Docs/FINDINGS.md` has them all.
  package var code: String { kind.name }
  /// The severity: a note if nothing that the app can ask for is lost, otherwise a warning.
  package var severity: Finding.Severity { kind.severities[0] }
  /// The difference, for people, without the key.
  package var message: String { content.text }

  /// The parts from which the message is built.
  ///
  /// A conversion has a loss for each value whose type is not stored, and most of these are counted
  /// but not shown.
  private enum Content: Hashable {
    case text(String)
    /// A type that is not stored, the reason for choosing it, and the other types that the value
    /// can have.
    case taken(Value.Kind, because: String, besides: [Value.Kind])

    /// The message.
    var text: String {
      switch self {
      case .text(let text): text
      case .taken(let kind, let reason, let others):
        "read as \(kind): \(reason)"
          + (others.isEmpty ? "" : ". Other types that fit: " + Loss.names(of: others))
      }
    }
  }

  private let content: Content

  private init(_ kind: FindingCode, _ message: String) {
    self.init(kind, .text(message))
  }

  private init(_ kind: FindingCode, _ content: Content) {
    self.kind = kind
    self.content = content
  }

  /// Whether this is about a type that is not stored: the only one that fits, the likeliest, or
  /// none.
  package var isOfUnstoredType: Bool {
    kind == ConversionFindings.assumedType || kind == ConversionFindings.likelyType
      || kind == ConversionFindings.ambiguousType
  }

  /// The same value with another type: a wider number, a list for a set.
  package static func typeChanged(_ old: Value, to new: Value, in format: String) -> Loss {
    Loss(
      ConversionFindings.typeChanged,
      "\(old.kind) becomes \(new.kind), because \(format) has no \(old.kind)")
  }

  /// A value in another form, such as a number as text, that the app has to translate.
  package static func valueChanged(_ old: Value, to new: Value, _ reason: String) -> Loss {
    Loss(
      ConversionFindings.valueChanged,
      (old.kind == new.kind ? "the \(old.kind) is changed" : "\(old.kind) becomes \(new.kind)")
        + ": \(reason)")
  }

  /// The entry is not written.
  package static func leftOut(_ reason: String) -> Loss {
    Loss(ConversionFindings.leftOut, "the entry is left out: \(reason)")
  }

  /// The entry is not written, because it is only a guess.
  package static var guess: Loss { leftOut("it is a guess") }

  /// The expiry time is not written.
  package static func expiryLost(_ time: UInt32, in format: String) -> Loss {
    Loss(
      ConversionFindings.expiryLost,
      "it expires at \(time), but \(format) has no expiry; it will never expire")
  }

  /// The name of a class or of an encoder's tag is not written.
  package static func classLost(_ name: String, in format: String) -> Loss {
    Loss(ConversionFindings.classLost, "\(format) cannot store the class name \"\(name)\"")
  }

  /// The class name in the record is not part of the value.
  package static func classNotTold(_ name: String) -> Loss {
    Loss(
      ConversionFindings.classLost, "the record's class name \"\(name)\" is not kept")
  }

  /// Several of the merged stores have the key, with different values.
  package static func conflict(kept: String, dropped: String) -> Loss {
    Loss(
      ConversionFindings.conflict,
      "\(kept) and \(dropped) have different values; the value from \(kept) is kept")
  }

  /// The value is written completely, but the format's own engine will damage it.
  package static func fragile(_ reason: String) -> Loss {
    Loss(
      ConversionFindings.fragileValue, "written in full, but the engine will change it: \(reason)")
  }

  /// Returns the same loss, with advice on what can be done about it.
  package func adding(_ advice: String) -> Loss { Loss(kind, message + advice) }

  /// The entry is written, but the format's own engine does not return it unchanged.
  package static var engineLoss: Loss {
    Loss(
      ConversionFindings.engineLoss,
      "the app's engine would not read this entry back as written")
  }

  /// The type of the bytes is unknown.
  package static func ambiguousType(_ readings: [Reading]) -> Loss {
    Loss(
      ConversionFindings.ambiguousType,
      "the type is not stored and several fit; written as bytes. Types that fit: "
        + names(of: readings.map(\.value.kind)))
  }

  /// The likeliest of several fitting types was chosen.
  package static func likelyType(
    _ value: Value, _ reason: String, besides others: [Value.Kind]
  ) -> Loss {
    Loss(
      ConversionFindings.likelyType,
      .taken(value.kind, because: reason, besides: others.filter { $0 != value.kind }))
  }

  /// Returns the names of `kinds`, each once: a number can be several dates.
  private static func names(of kinds: [Value.Kind]) -> String {
    var known: Set<Value.Kind> = []
    return kinds.filter { known.insert($0).inserted }.map(\.rawValue).joined(separator: ", ")
  }

  /// A type was chosen that is not stored: nothing else fits, or it is what is left of a broken
  /// value.
  package static func assumedType(_ value: Value, _ reason: String) -> Loss {
    Loss(ConversionFindings.assumedType, .taken(value.kind, because: reason, besides: []))
  }

  /// A schema names a type that does not fit the bytes.
  package static func wrongType(_ kind: Value.Kind, _ value: Value) -> Loss {
    Loss(
      ConversionFindings.schemaMismatch,
      "the types file says \(kind), but these bytes are not a valid \(kind); read as \(value.kind)")
  }

  /// The entry is not verified, and somebody may have to look at it.
  package static func unverified(_ origin: EntryOrigin) -> Loss {
    Loss(
      ConversionFindings.unverified,
      "the entry's evidence is \(origin.evidence.rawValue)"
        + (origin.cautions.isEmpty
          ? "" : " (" + origin.cautions.map(\.rawValue).joined(separator: ", ") + ")")
        + ", which the new store cannot record")
  }
}
