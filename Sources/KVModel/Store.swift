package import KVBytes

/// The files of a store, and what each of their bytes is.
package protocol StoreLayout: Sendable {
  /// The files that exist, the one with the records first, with the names of the format's own roles.
  var files: [StoreFile] { get }
  /// Every byte of every file, by meaning: the records as one region, and what is around them.
  var layout: [Region] { get }
  /// The bytes in which a log can lie, from where it begins to the end of the file: first those that
  /// the current length claim is about, then those of other copies.
  ///
  /// There is at least one.
  var logAreas: [Extent] { get }
  /// Returns the bytes of a file as the engine sees them, which may be longer than the file, as stored.
  func stored(_ file: FileRole) -> FileImage
  /// Returns the same bytes decrypted; offsets are the same.
  func decoded(_ file: FileRole) -> FileImage
  /// Returns the offset of the last byte of an extent that is not zero, as stored; `nil` if all are
  /// zero.
  func lastNonzero(in extent: Extent) -> Int?
}

/// What a store's fields claim about its log.
package protocol LogClaims: StoreLayout {
  /// The claims about where the log ends; the current one first.
  var lengthClaims: [LengthClaim] { get }
  /// What is so of the log that reading it alone does not show.
  var traits: LogTraits { get }
}

/// The records of a store, read past damage.
package protocol RecordLog: StoreLayout {
  /// The records, gaps and filler of an extent.
  associatedtype Records: Sequence<RecordEvent>

  /// Returns the bytes of an extent that have to be left out for the rest to decode, in order: where
  /// reading loses sync, to where it resynchronizes.
  func gaps(in extent: Extent) -> [Gap]
  /// Returns the records of an extent, read lazily; the events tile it.
  ///
  /// The scan passes over `gaps`, which are those of ``gaps(in:)``; damage that is in none of them
  /// makes the bytes up to the next gap, or to the end, one gap.
  func records(in extent: Extent, scan: ScanMode, around gaps: [Gap]) -> Records
  /// Hands the events of ``records(in:scan:around:)`` to `body`.
  ///
  /// A format restates the loop so that it is compiled where the scanner is known.
  func forEachRecord(
    in extent: Extent, scan: ScanMode, around gaps: [Gap], _ body: (RecordEvent) -> Void)
  /// Returns those of `records` that are implausible: no app wrote them, though they decode.
  func implausible(_ records: [Record]) -> [Record]
  /// Returns the format's own rule by which `record` is implausible; `nil` if it has none for that.
  func rule(against record: Record) -> RuleID?
  /// Returns what the format's own rules conclude of `live` records that are worth less than the
  /// checksum over their log says.
  func conclusions(about live: [Record]) -> [Conclusion]
}

/// The keys and values of a store's records.
package protocol ValueReading: StoreLayout {
  /// Returns the key of `record`, decrypted.
  ///
  /// - Precondition: `record` came from this store.
  func key(of record: Record) -> Key
  /// Returns the value bytes of `record`, as the record stores them, decrypted; of a value in a file
  /// of its own, that file's bytes.
  ///
  /// - Precondition: `record` came from this store.
  func value(of record: Record) -> [UInt8]
  /// Hands the bytes of ``value(of:)`` to `body`, where possible without copying them.
  func withValue<Result>(of record: Record, _ body: (Span<UInt8>) -> Result) -> Result
  /// Returns what the value of a record can be; the likeliest first.
  func readings(of record: Record) -> [Reading]
  /// Returns what the value of a record can be, the likeliest first; of lists, texts and data, no more
  /// than what lies in about the first `limit` bytes, so that a long value takes little memory.
  func readings(of record: Record, keeping limit: Int) -> [Reading]
  /// Returns the value of a record, taken for one of type `kind`; `nil` if no value of that type
  /// is stored as these bytes.
  func value(of record: Record, as kind: Value.Kind) -> Value?
  /// Whether each record says what type its value has.
  var storesTypes: Bool { get }
  /// Returns when the record's entry expires, in seconds since 1970; 0 for never, `nil` if entries of
  /// this store do not expire.
  func expiry(of record: Record) -> UInt32?
}

/// What the app's own engine does with a store.
package protocol EngineModel: StoreLayout {
  /// What the engine does when damage is found.
  var questions: EngineQuestions { get }
  /// Returns what the engine does when it opens the files and is answered like this.
  ///
  /// It reads them as found, also where the store is a corrected one.
  func engineLoad(answering answers: EngineAnswers) -> EngineLoad
  /// Returns why the entry of `record` cannot be kept: its value is not there; or, if `scan` applies
  /// the engine's limits, the engine could not hold it. `nil` if it can be kept.
  func obstacle(to record: Record, scan: ScanMode) -> String?
}

/// A store as it lies on the disk: its bytes, what its fields claim, and its records.
///
/// Nothing here fails because bytes are damaged, and nothing decides what to do about damage: that is
/// the business of `KVRecovery`, which knows a store by this protocol alone.
package protocol Store: LogClaims, RecordLog, ValueReading, EngineModel, CorrectableStore {
  /// The format's name, as `--format` takes it.
  var formatName: String { get }
  /// The version that the files state; 0 if they state none.
  var version: Int { get }
  /// Whether the records are read through a cipher.
  var isEncrypted: Bool { get }
  /// Whether the records can be read with the key that was given.
  var access: Access { get }
  /// Returns what is remarkable about the files, the records aside.
  func check() -> [Finding]
}

extension StoreLayout {
  /// The bytes in which the log can lie that the current length claim is about.
  package var logArea: Extent { logAreas[0] }

  /// Returns the offset of the last byte of an extent that is not zero, as stored.
  package func lastNonzero(in extent: Extent) -> Int? {
    stored(extent.file).lastNonzero(in: extent.range)
  }
}

extension LogClaims {
  /// The traits of a log that is appended to, without checksums in its records.
  package var traits: LogTraits { LogTraits() }
}

extension RecordLog {
  /// Hands the events of ``records(in:scan:around:)`` to `body`.
  package func forEachRecord(
    in extent: Extent, scan: ScanMode, around gaps: [Gap], _ body: (RecordEvent) -> Void
  ) {
    for event in records(in: extent, scan: scan, around: gaps) { body(event) }
  }

  /// Returns the records of an extent to the first damage.
  package func records(in extent: Extent, scan: ScanMode) -> Records {
    records(in: extent, scan: scan, around: [])
  }

  /// Returns none: what decodes is plausible if records say what type their values have.
  package func implausible(_ records: [Record]) -> [Record] { [] }

  /// Returns `nil`: no rule of the format's own says that a record is implausible.
  package func rule(against record: Record) -> RuleID? { nil }

  /// Returns nothing: there are no rules of the format's own.
  package func conclusions(about live: [Record]) -> [Conclusion] { [] }
}

extension ValueReading {
  /// Returns the bytes of the key in the decrypted file.
  package func key(of record: Record) -> Key {
    Key(decoded(record.file).bytes(in: record.key))
  }

  /// Returns the bytes of the value in the decrypted file.
  package func value(of record: Record) -> [UInt8] {
    decoded(record.file).bytes(in: record.value)
  }

  /// Hands a copy of the value's bytes to `body`.
  package func withValue<Result>(
    of record: Record, _ body: (Span<UInt8>) -> Result
  ) -> Result {
    body(value(of: record).storageSpan)
  }

  /// Returns all readings, cut to about the first `limit` bytes.
  package func readings(of record: Record, keeping limit: Int) -> [Reading] {
    readings(of: record).map { $0.keeping(limit) }
  }

  /// Returns the reading of type `kind`, if there is one.
  package func value(of record: Record, as kind: Value.Kind) -> Value? {
    readings(of: record).first { $0.value.kind == kind }?.value
  }

  /// Whether each record says what type its value has: it does.
  package var storesTypes: Bool { true }

  /// Returns `nil`: entries do not expire.
  package func expiry(of record: Record) -> UInt32? { nil }
}

extension EngineModel {
  /// The questions of an engine that asks nothing.
  package var questions: EngineQuestions {
    EngineQuestions(checksum: "damaged records", length: "length error")
  }

  /// Returns `nil`: every entry can be kept.
  package func obstacle(to record: Record, scan: ScanMode) -> String? { nil }
}

extension Store {
  /// The version that the files state: none.
  package var version: Int { 0 }

  /// Whether the records are read through a cipher: no.
  package var isEncrypted: Bool { false }

  /// Whether the records can be read: always.
  package var access: Access { .readable }
}
