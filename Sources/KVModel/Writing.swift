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
    /// The record that the entry comes from, in the store that the new one is modeled on; `nil` for
    /// an entry from elsewhere.
    ///
    /// A format whose records have types takes the type from this record.
    package let source: Record?

    /// Creates an entry.
    package init(key: Key, value: [UInt8], from source: Record? = nil) {
      self.key = key
      self.value = value
      self.source = source
    }
  }

  /// The entries, oldest first; no key occurs twice.
  package let entries: [Entry]

  /// Creates the contents from `entries`.
  package init(_ entries: [Entry]) { self.entries = entries }
}

/// A format with a log to which typed entries can be written.
package protocol StoreEncoder: EntryEncoder, StoreFormat {
  /// Returns the files of a new store called `name` that contains `entries`, each of which
  /// ``fit(_:)`` has returned.
  ///
  /// - Throws: When there are too many entries for the format.
  func files(
    named name: FilePath, _ entries: [TypedEntry]
  ) throws(EncodingError) -> [EncodedFile]
}

/// A format to which typed entries can be written.
package protocol EntryEncoder: Sendable {
  /// The format's name, as `--to` takes it.
  static var name: String { get }
  /// The suffix of the output's name, appended to the store's name if the user gave no name.
  static var suffix: String { get }
  /// Whether the output states the types of values, so that it can be read without a schema.
  static var keepsTypes: Bool { get }

  /// Whether the format can store the evidence for an entry.
  static var keepsEvidence: Bool { get }

  /// Returns the entry as the format will hold it.
  ///
  /// Reading the output yields exactly the entries that this method returned.
  func fit(_ entry: TypedEntry) -> EntryFit

  /// Whether the format holds every entry as it is: then it need not be asked about each.
  var holdsAll: Bool { get }
}

/// A format without a log to which typed entries can be written.
package protocol EntryWriter: EntryEncoder {
  /// Writes the entries of `source`, each of which ``EntryEncoder/fit(_:)`` has returned, to the file
  /// at `path` and, if the format has several files, beside it.
  ///
  /// - Throws: When there are too many entries for the format, or a file cannot be written. No
  ///   files are left in this case.
  func write(
    _ source: EntrySource, to path: FilePath, into files: inout PendingWrite
  ) throws(ConversionError)
}

extension EntryEncoder {
  /// `true`: the output states the types of values.
  package static var keepsTypes: Bool { true }

  /// `false`: the format cannot store evidence.
  package static var keepsEvidence: Bool { false }

  /// `false`: some entries change, or are left out.
  package var holdsAll: Bool { false }

  /// Returns the fit of an entry in a format without expiry.
  package func withoutExpiry(_ entry: TypedEntry) -> EntryFit {
    guard entry.expiry != 0 else { return EntryFit(entry) }
    return EntryFit(
      entry.withoutExpiry, [.expiryLost(entry.expiry, in: Self.name)])
  }

  /// Returns the fit of an entry whose value gets another type that the format has.
  package func changingType(_ entry: TypedEntry, to value: Value) -> EntryFit {
    EntryFit(entry.with(value), [.typeChanged(entry.value, to: value, in: Self.name)])
  }

  /// Returns the fit of an entry whose value has no type in the format and is written in another
  /// form.
  package func changingValue(
    _ entry: TypedEntry, to value: Value, because reason: String
  ) -> EntryFit {
    EntryFit(entry.with(value), [.valueChanged(entry.value, to: value, reason)])
  }

  /// Returns the fit of an entry whose container type the format lacks.
  ///
  /// It is written as plain JSON, which `text` turns into a value.
  package func asJSON(_ entry: TypedEntry, _ text: (String) -> Value) -> EntryFit {
    guard let json = entry.value.plainJSON else {
      return EntryFit(leftOut: "\(Self.name) has no \(entry.value.kind), and JSON has no NaN")
    }
    return changingValue(
      entry, to: text(json),
      because: "\(Self.name) has no \(entry.value.kind); written as plain JSON"
    )
  }

  /// Returns the fit of an object in a format that stores only its bytes and no class name.
  package func withoutClass(_ entry: TypedEntry, _ name: String, _ bytes: [UInt8]) -> EntryFit {
    EntryFit(entry.with(.bytes(bytes)), [.classLost(name, in: Self.name)])
  }
}

/// The result of converting an entry to a format: the entry that will be read back, and the
/// differences.
package struct EntryFit: Hashable, Sendable {
  /// The entry as the format holds it; `nil` if it cannot hold the entry.
  package let entry: TypedEntry?
  /// The differences between the two entries.
  package let losses: [Loss]

  /// Whether the format cannot hold the entry.
  ///
  /// Unlike a comparison of ``entry``, this copies nothing.
  package var isLeftOut: Bool {
    switch entry {
    case nil: true
    case .some: false
    }
  }

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

  /// Returns this fit, continued by `change`, which gets the entry and returns its fit.
  ///
  /// The result has the losses of both.
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

/// A difference that an entry has after its conversion to another format.
package struct Loss: Hashable, Sendable {
  /// The kind of difference.
  package let kind: FindingCode
  /// The stable name of the kind, such as `convert.type-changed`.
  ///
  /// `Docs/FINDINGS.md` lists all of them.
  package var code: String { kind.name }
  /// The severity: a note if the app can still get everything, otherwise a warning.
  package var severity: Finding.Severity { kind.severities[0] }
  /// A description of the difference for people, without the key.
  package var message: String { content.text }

  /// The parts from which the message is built on demand.
  ///
  /// A conversion has a loss for each value whose type is not stored, and most of these losses are
  /// only counted.
  private enum Content: Hashable {
    case text(String)
    /// A type that is not stored, the reason for choosing it, and the other types that fit the
    /// value.
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

  /// Whether the loss is about a type that is not stored: the only one that fits, the likeliest, or
  /// none.
  package var isOfUnstoredType: Bool {
    isOfTakenType || kind == ConversionFindings.ambiguousType
  }

  /// Whether the loss is about a type that is not stored but was taken: the only one that fits, or
  /// the likeliest.
  package var isOfTakenType: Bool {
    kind == ConversionFindings.assumedType || kind == ConversionFindings.likelyType
  }

  /// Whether the value has no type, because several fit or the one that was given does not.
  package var isUndecided: Bool {
    kind == ConversionFindings.ambiguousType || kind == ConversionFindings.schemaMismatch
  }

  /// Returns the loss of a value that gets another type, such as a wider number, or a list for a
  /// set.
  package static func typeChanged(_ old: Value, to new: Value, in format: String) -> Loss {
    Loss(
      ConversionFindings.typeChanged,
      "\(old.kind) becomes \(new.kind), because \(format) has no \(old.kind)")
  }

  /// Returns the loss of a value in another form, such as a number as text, that the app must
  /// translate.
  package static func valueChanged(_ old: Value, to new: Value, _ reason: String) -> Loss {
    Loss(
      ConversionFindings.valueChanged,
      (old.kind == new.kind ? "the \(old.kind) is changed" : "\(old.kind) becomes \(new.kind)")
        + ": \(reason)")
  }

  /// Returns the loss of an entry that is not written.
  package static func leftOut(_ reason: String) -> Loss {
    Loss(ConversionFindings.leftOut, "the entry is left out: \(reason)")
  }

  /// The loss of an entry that is not written because it is less likely to be right than was asked
  /// for.
  package static var unlikely: Loss { leftOut("it is not likely enough to be right") }

  /// Returns the loss of an expiry time that is not written.
  package static func expiryLost(_ time: UInt32, in format: String) -> Loss {
    Loss(
      ConversionFindings.expiryLost,
      "it expires at \(time), but \(format) has no expiry; it will never expire")
  }

  /// Returns the loss of a class name, or of an encoder's tag, that is not written.
  package static func classLost(_ name: String, in format: String) -> Loss {
    Loss(ConversionFindings.classLost, "\(format) cannot store the class name \"\(name)\"")
  }

  /// Returns the loss of a class name that is in the record but not part of the value.
  package static func classNotTold(_ name: String) -> Loss {
    Loss(
      ConversionFindings.classLost, "the record's class name \"\(name)\" is not kept")
  }

  /// Returns the loss of a value, or only of its time of expiry, that differs between merged stores.
  package static func conflict(kept: String, dropped: String, ofExpiry: Bool) -> Loss {
    let what = ofExpiry ? "time of expiry" : "value"
    return Loss(
      ConversionFindings.conflict,
      "\(kept) and \(dropped) have different \(ofExpiry ? "times of expiry" : "values"); the \(what) from "
        + "\(kept) is kept")
  }

  /// Returns the loss of a value that is written completely, but that the app's engine will change.
  package static func fragile(_ reason: String) -> Loss {
    Loss(
      ConversionFindings.fragileValue, "written in full, but the engine will change it: \(reason)")
  }

  /// Returns the loss of a value that is written completely, but that the app's engine, or some of its
  /// releases, handles wrongly.
  package static func mishandled(_ reason: String) -> Loss {
    Loss(ConversionFindings.fragileValue, "written in full, but \(reason)")
  }

  /// Returns the same loss, with advice added to its message.
  package func adding(_ advice: String) -> Loss { Loss(kind, message + advice) }

  /// The loss of an entry that is written, but that the app's engine does not return unchanged.
  package static var engineLoss: Loss {
    Loss(
      ConversionFindings.engineLoss,
      "the app's engine would not read this entry back as written")
  }

  /// Returns the loss of a type that is unknown, so that the value is written as bytes.
  package static func ambiguousType(_ readings: [Reading]) -> Loss {
    Loss(
      ConversionFindings.ambiguousType,
      "the type is not stored and several fit; written as bytes. Types that fit: "
        + names(of: readings.map(\.value.kind)))
  }

  /// Returns the loss of a type for which the likeliest of several was chosen.
  package static func likelyType(
    _ kind: Value.Kind, _ reason: String, besides others: [Value.Kind]
  ) -> Loss {
    Loss(
      ConversionFindings.likelyType,
      .taken(kind, because: reason, besides: others.filter { $0 != kind }))
  }

  /// Returns the names of `kinds`, each once, because a number can be read as several dates.
  private static func names(of kinds: [Value.Kind]) -> String {
    var known: Set<Value.Kind> = []
    return kinds.filter { known.insert($0).inserted }.map(\.rawValue).joined(separator: ", ")
  }

  /// Returns the loss of a type that was chosen because no other one fits, or because it is the
  /// type of the readable part of a broken value.
  package static func assumedType(_ kind: Value.Kind, _ reason: String) -> Loss {
    Loss(ConversionFindings.assumedType, .taken(kind, because: reason, besides: []))
  }

  /// Returns the loss of a type that a schema gives, but that does not fit the bytes.
  package static func wrongType(_ kind: Value.Kind, _ value: Value) -> Loss {
    Loss(
      ConversionFindings.schemaMismatch,
      "the types file says \(kind), but these bytes are not a valid \(kind); read as \(value.kind)")
  }

  /// Returns the loss of the evidence for an entry that is not verified.
  package static func unverified(_ origin: EntryOrigin) -> Loss {
    Loss(
      ConversionFindings.unverified,
      "the entry's evidence is \(origin.evidence.rawValue)"
        + (origin.cautions.isEmpty
          ? "" : " (" + origin.cautions.map(\.rawValue).joined(separator: ", ") + ")")
        + ", which the new store cannot record")
  }
}
