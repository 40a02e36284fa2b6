/// How an entry differs in the format that it is converted to.
public struct Loss: Hashable, Sendable {
  /// The stable name of the kind of difference, such as `convert.type-changed`; `Docs/FINDINGS.md` has
  /// them all.
  public let code: String
  /// A note where nothing that the app can ask for is lost; a warning where something is.
  public let severity: Finding.Severity
  /// What differs, for people, without the key.
  public let message: String

  private init(_ code: String, _ severity: Finding.Severity, _ message: String) {
    self.code = code
    self.severity = severity
    self.message = message
  }

  /// The same value under another type: a wider number, a list for a set.
  public static func typeChanged(_ old: Value, to new: Value, in format: String) -> Loss {
    Loss(
      "convert.type-changed", .note,
      "\(old.kind) becomes \(new.kind), for \(format) has no \(old.kind)")
  }

  /// A value in another form, such as a number as text, that the app has to translate.
  public static func valueChanged(_ old: Value, to new: Value, _ reason: String) -> Loss {
    Loss(
      "convert.value-changed", .warning,
      (old.kind == new.kind ? "the \(old.kind) is changed" : "\(old.kind) becomes \(new.kind)")
        + ": \(reason)")
  }

  /// The entry is not written.
  public static func leftOut(_ reason: String) -> Loss {
    Loss("convert.left-out", .warning, "the entry is left out: \(reason)")
  }

  /// The time of expiry is not written.
  public static func expiryLost(_ time: UInt32, in format: String) -> Loss {
    Loss(
      "convert.expiry-lost", .warning,
      "it expires at \(time), and \(format) has no expiry: it will be there for good")
  }

  /// The name of a class or of an encoder's tag is not written.
  public static func classLost(_ name: String, in format: String) -> Loss {
    Loss("convert.class-lost", .warning, "the class name \"\(name)\" is not kept by \(format)")
  }

  /// The class name that the record has is not part of the value.
  public static func classNotTold(_ name: String) -> Loss {
    Loss(
      "convert.class-lost", .warning, "the record names the class \"\(name)\", which is not kept")
  }

  /// Several of the merged stores have the key, with different values.
  public static func conflict(kept: String, dropped: String) -> Loss {
    Loss(
      "convert.conflict", .warning,
      "\(kept) and \(dropped) have different values; that of \(kept) is kept")
  }

  /// The value is written whole, and the format's own engine will spoil it.
  public static func fragile(_ reason: String) -> Loss {
    Loss("convert.fragile-value", .warning, "written whole, but not for long: \(reason)")
  }

  /// The entry is written, and the format's own engine does not give it back.
  public static var engineLoss: Loss {
    Loss(
      "convert.engine-loss", .warning,
      "the app's engine does not give the entry back as it is written")
  }

  /// Nobody knows what the bytes are.
  public static func ambiguousType(_ readings: [Reading]) -> Loss {
    Loss(
      "convert.ambiguous-type", .warning,
      "the type is not stored, and several fit; taken for bytes. It can be "
        + readings.map(\.value.kind).joined(separator: ", ")
        + ": say which with --types (--types-out writes a file to correct)")
  }

  /// A type was taken that others fit as well.
  public static func assumedType(_ value: Value, _ reason: String) -> Loss {
    Loss("convert.assumed-type", .note, "taken for \(value.kind): \(reason)")
  }

  /// A schema names a type that the bytes are not.
  public static func wrongType(_ kind: String, _ value: Value) -> Loss {
    Loss(
      "convert.schema-mismatch", .warning,
      "--types says \(kind), and no \(kind) is stored as these bytes; taken for \(value.kind)")
  }

  /// Somebody may have to look at the entry: it is not sure.
  public static func doubtful(_ origin: EntryOrigin) -> Loss {
    Loss(
      "convert.doubtful", .warning,
      "the entry's evidence is \(origin.evidence.rawValue)"
        + (origin.cautions.isEmpty
          ? "" : " (" + origin.cautions.map(\.rawValue).joined(separator: ", ") + ")")
        + ", and the new store will not say so")
  }
}
