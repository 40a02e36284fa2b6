package import KVBytes

/// The files of a store, and the meaning of each of their bytes.
package protocol StoreLayout: Sendable {
  /// The files that exist, the one with the records first, with the names of the format's own
  /// roles.
  var files: [StoreFile] { get }
  /// Every byte of every file, by meaning: the records as one region, and everything around them.
  var layout: [Region] { get }
  /// The areas in which a log can lie, from its beginning to the end of the file: first the area
  /// that the current length claim is about, then those of other copies.
  ///
  /// There is at least one.
  var logAreas: [Extent] { get }
  /// Returns the bytes of a file as stored, in the length that the engine sees, which may exceed
  /// that of the file.
  func stored(_ file: FileRole) -> FileImage
  /// Returns the same bytes decrypted; offsets are the same.
  func decoded(_ file: FileRole) -> FileImage
  /// Passes the bytes of ``decoded(_:)`` to `body`.
  ///
  /// What looks at one record after the other, on several processors, takes them so: an image in
  /// hand is counted where all processors look, which takes longer than the look.
  func withDecoded<Result>(_ file: FileRole, _ body: (Span<UInt8>) -> Result) -> Result
  /// Returns the offset of the last nonzero byte of an extent, as stored; `nil` if all are zero.
  func lastNonzero(in extent: Extent) -> Int?
}

/// What the fields of a store claim about its log.
package protocol LogClaims: StoreLayout {
  /// The claims about where the log ends; the current one first.
  var lengthClaims: [LengthClaim] { get }
  /// The properties of the log that reading it does not show.
  var traits: LogTraits { get }
}

/// The records of a store, read past damage.
package protocol RecordLog: StoreLayout {
  /// The records, gaps and filler of an extent.
  associatedtype Records: Sequence<RecordEvent>

  /// Returns the bytes of an extent that must be left out for the rest to decode, in order: each
  /// gap reaches from where reading loses sync to where it resynchronizes.
  func gaps(in extent: Extent) -> [Gap]
  /// Returns the records of an extent, read lazily; the events tile it.
  ///
  /// The scan skips `gaps`, which come from ``gaps(in:)``. Damage outside of them turns the bytes
  /// up to the next gap, or to the end, into a single gap.
  func records(in extent: Extent, scan: ScanMode, around gaps: [Gap]) -> Records
  /// Passes the events of ``records(in:scan:around:)`` to `body`.
  ///
  /// A format can implement it itself, so that the compiler can specialize the loop for its
  /// scanner.
  func forEachRecord(
    in extent: Extent, scan: ScanMode, around gaps: [Gap], _ body: (RecordEvent) -> Void)
  /// Returns those of `records` that are implausible: they decode, but no app wrote them.
  func implausible(_ records: [Record]) -> [Record]
  /// Returns the format's own rule that makes `record` implausible; `nil` if there is none.
  func rule(against record: Record) -> RuleID?
  /// Returns the conclusions of the format's own rules about `live` records of `log` whose evidence is
  /// weaker than the checksum over that log suggests.
  func conclusions(about live: [Record], in log: Extent?) -> [Conclusion]
  /// Returns what the format's own rules conclude from the bytes after `log`, all of which decodes, to
  /// the entries `live`: where it ends with records that may be newer, and limits on the entries.
  func conclusions(after log: Extent, holding live: [Record]) -> [Conclusion]
}

/// The keys and values of a store's records.
package protocol ValueReading: StoreLayout {
  /// Returns the key of `record`, decrypted.
  ///
  /// - Precondition: `record` came from this store.
  func key(of record: Record) -> Key
  /// Passes the bytes of ``key(of:)`` to `body`, without copying them if possible.
  func withKey<Result>(of record: Record, _ body: (Span<UInt8>) -> Result) -> Result
  /// Returns the value bytes of `record`, decrypted; for a value in a file of its own, the bytes of
  /// that file.
  ///
  /// - Precondition: `record` came from this store.
  func value(of record: Record) -> [UInt8]
  /// Passes the bytes of ``value(of:)`` to `body`, without copying them if possible.
  func withValue<Result>(of record: Record, _ body: (Span<UInt8>) -> Result) -> Result
  /// Returns the possible readings of a record's value; the likeliest first.
  func readings(of record: Record) -> [Reading]
  /// Returns the possible readings of a record's value, the likeliest first; of lists, texts and
  /// data, no more than about the first `limit` bytes, so that a long value takes little memory.
  func readings(of record: Record, keeping limit: Int) -> [Reading]
  /// Ranks the types that the bytes of a record's value can have into `ranking`, in place of those of
  /// the value before; without values, for a format that stores no types.
  func rank(_ record: Record, _ ranking: inout TypeRanking)
  /// Returns the reading of a record's value as `type`, one of those of ``rank(_:_:)``, with no
  /// more than about the first `limit` bytes.
  func reading(of record: Record, as type: TypeCandidate, keeping limit: Int) -> Reading
  /// Returns the bytes of the text that `value`, the bytes of a value, is as a `string`, whether they
  /// are UTF-8 or not; `nil` if it is none, or if the format has texts in another form.
  func textRange(in value: Span<UInt8>) -> Range<Int>?
  /// Returns the value of a record, read as type `kind`; `nil` if no value of that type is stored
  /// as these bytes.
  func value(of record: Record, as kind: Value.Kind) -> Value?
  /// Whether each record states the type of its value.
  var storesTypes: Bool { get }
  /// Whether keys and values are hidden, so that no bytes of the files may be shown either.
  var isRedacted: Bool { get }
  /// Returns what stands for `key`, one that the store has or had.
  func shown(_ key: Key) -> Key
  /// Returns the expiry time of the record's entry, in seconds since 1970; 0 for never, `nil` if
  /// entries of this store do not expire.
  func expiry(of record: Record) -> UInt32?
}

/// The behavior of the app's own engine with a store.
package protocol EngineModel: StoreLayout {
  /// The questions that the engine asks when it finds damage.
  var questions: EngineQuestions { get }
  /// Returns what the engine does when it opens the files and gets these answers.
  ///
  /// The engine reads the files as found, even if the store is a corrected one.
  func engineLoad(answering answers: EngineAnswers) -> EngineLoad
  /// Returns why the entry of `record` cannot be kept; `nil` if it can.
  ///
  /// The reason is that its value is missing or, if `scan` applies the engine's limits, that the
  /// engine could not hold it.
  func obstacle(to record: Record, scan: ScanMode) -> String?
  /// Whether the values of some entries may be in files of their own, and so be missing.
  var keepsValuesElsewhere: Bool { get }
  /// Returns when the engine takes the entry of `record` to expire, in seconds since 1970; 0 if
  /// never, and `nil` if it knows of no expiry.
  func engineExpiry(of record: Record) -> UInt32?
  /// Whether the engine reads every value as it is stored, so that ``loadedValue(of:)`` need not be
  /// asked.
  var readsValuesAsStored: Bool { get }
  /// Returns what the engine makes of the value of `record`, a record that it reads.
  func loadedValue(of record: Record) -> LoadedValue
}

/// A store as it is on the disk: its bytes, the claims of its fields, and its records.
///
/// No requirement fails because bytes are damaged, and none decides what to do about damage.
/// `KVRecovery` makes these decisions, and knows a store only by this protocol.
package protocol Store: LogClaims, RecordLog, ValueReading, EngineModel, CorrectableStore {
  /// The format's name, as `--format` takes it.
  var formatName: String { get }
  /// The version that the files state; 0 if they state none.
  var version: Int { get }
  /// Whether the records are encrypted.
  var isEncrypted: Bool { get }
  /// How to encrypt a store of any format like this one; `.keep` if only its own format can do that.
  var encryption: CipherChoice { get }
  /// Whether the records can be read with the key that was given.
  var access: Access { get }
  /// What the format's stores have shown about the entries that are read from them.
  var entryWeights: EntryWeights { get }
  /// The number of bytes of a block of the cipher, counted from the start of the log area, if the
  /// cipher chains the blocks: a changed byte then garbles the next block too.
  var chainedBlockCount: Int? { get }
  /// The number of bytes other than 0 of which a store has some of 0x80 or more: in lengths, checksums
  /// and whatever else is not text.
  var mixedByteCount: Int { get }
  /// Returns whether a log over which a checksum matches is decoded to what was written: it is not
  /// encrypted, or there is no doubt about the key and the initialization vector.
  func isDecodedForSure(_ log: Extent) -> Bool
  /// Returns the findings about the files, except those about records.
  func check() -> [Finding]
}

extension StoreLayout {
  /// The area that the current length claim is about.
  package var logArea: Extent { logAreas[0] }

  /// Passes the bytes of a file to `body`, decrypted.
  package func withDecoded<Result>(
    _ file: FileRole, _ body: (Span<UInt8>) -> Result
  ) -> Result {
    body(decoded(file).storageSpan)
  }

  /// Returns the offset of the last nonzero byte of an extent, as stored.
  package func lastNonzero(in extent: Extent) -> Int? {
    stored(extent.file).lastNonzero(in: extent.range)
  }
}

extension Store {
  /// Returns whether the records are not encrypted.
  package func isDecodedForSure(_ log: Extent) -> Bool { !isEncrypted }
}

extension Store {
  /// Returns whether the log that its claim states is not empty, and stored checksums match over all
  /// of it; if `isOne`, a single one, which is longer than those of records.
  package func isProvedByChecksum(overAll isOne: Bool = false) -> Bool {
    guard let current = judged().lengthClaims.first, let log = current.log, log.count > 0 else {
      return false
    }
    if current.isVerified {
      // Zeros have such a checksum too.
      return current.checksum?.stored != 0
    }
    // If each record has a checksum, those of all records must match, up to the stated end.
    return !isOne && traits.hasRecordChecksums && current.checksum == nil && gaps(in: log).isEmpty
  }
}

extension LogClaims {
  /// The traits of an append-only log without checksums in its records.
  package var traits: LogTraits { LogTraits() }
}

extension RecordLog {
  /// Passes the events of ``records(in:scan:around:)`` to `body`, one by one.
  package func forEachRecord(
    in extent: Extent, scan: ScanMode, around gaps: [Gap], _ body: (RecordEvent) -> Void
  ) {
    for event in records(in: extent, scan: scan, around: gaps) { body(event) }
  }

  /// Returns the records of an extent up to the first damage.
  package func records(in extent: Extent, scan: ScanMode) -> Records {
    records(in: extent, scan: scan, around: [])
  }

  /// Returns no records, for formats in which every record that decodes is plausible.
  package func implausible(_ records: [Record]) -> [Record] { [] }

  /// Returns `nil`, because the format has no rule of its own that makes a record implausible.
  package func rule(against record: Record) -> RuleID? { nil }

  /// Returns no conclusions, because the format has no rules of its own.
  package func conclusions(about live: [Record], in log: Extent?) -> [Conclusion] { [] }

  /// Returns no conclusions, because nothing newer can follow a log that decodes.
  package func conclusions(after log: Extent, holding live: [Record]) -> [Conclusion] { [] }
}

extension ValueReading {
  /// Returns the bytes of the key in the decrypted file.
  package func key(of record: Record) -> Key {
    Key(withDecoded(record.file) { $0.bytes(in: record.key) })
  }

  /// Passes the bytes of the key in the decrypted file to `body`.
  package func withKey<Result>(
    of record: Record, _ body: (Span<UInt8>) -> Result
  ) -> Result {
    withDecoded(record.file) { body($0.extracting(record.key)) }
  }

  /// Returns whether `record` has the key `key`.
  package func hasKey(_ key: Key, _ record: Record) -> Bool {
    record.key.count == key.bytes.count
      && withDecoded(record.file) {
        $0.extracting(record.key).isEqual(to: key.bytes.storageSpan)
      }
  }

  /// Returns the bytes of the value in the decrypted file.
  package func value(of record: Record) -> [UInt8] {
    withDecoded(record.file) { $0.bytes(in: record.value) }
  }

  /// `nil`: texts are made by reading the value.
  package func textRange(in value: Span<UInt8>) -> Range<Int>? { nil }

  /// Passes the bytes of a copy of the value to `body`.
  package func withValue<Result>(
    of record: Record, _ body: (Span<UInt8>) -> Result
  ) -> Result {
    body(value(of: record).storageSpan)
  }

  /// Returns all readings, cut to about the first `limit` bytes.
  package func readings(of record: Record, keeping limit: Int) -> [Reading] {
    readings(of: record).map { $0.keeping(limit) }
  }

  /// Ranks the types of the readings.
  package func rank(_ record: Record, _ ranking: inout TypeRanking) {
    ranking.rank(readings(of: record, keeping: 0))
  }

  /// Returns the reading of the candidate's type, or the value as that type if no reading has it.
  package func reading(of record: Record, as type: TypeCandidate, keeping limit: Int) -> Reading {
    let readings = readings(of: record, keeping: limit)
    let own = Int(type.reason)
    if own < readings.count, readings[own].value.kind == type.kind { return readings[own] }
    return value(of: record, as: type.kind).map { readings[0].with($0) } ?? readings[0]
  }

  /// Returns the reading of type `kind`, if there is one.
  package func value(of record: Record, as kind: Value.Kind) -> Value? {
    readings(of: record).first { $0.value.kind == kind }?.value
  }

  /// Returns whether `record` has the value that `other` has in `store`: the same bytes and, if
  /// records state the types of their values, the same type.
  package func hasSameValue(_ record: Record, as other: Record, in store: Self) -> Bool {
    guard value(of: record) == store.value(of: other) else { return false }
    guard storesTypes, let own = readings(of: record, keeping: 0).first?.value,
      let its = store.readings(of: other, keeping: 0).first?.value
    else { return true }
    if case .object(let name, _) = own, case .object(let otherName, _) = its {
      return name.utf8.elementsEqual(otherName.utf8)
    }
    return own.kind == its.kind
  }

  /// `true`: each record states the type of its value.
  package var storesTypes: Bool { true }

  /// `false`: what the store holds is shown.
  package var isRedacted: Bool { false }

  /// Returns the key itself.
  package func shown(_ key: Key) -> Key { key }

  /// Returns `nil`, because entries of the store do not expire.
  package func expiry(of record: Record) -> UInt32? { nil }

  /// Returns when the entry of `record` expires: the engine reads it as it is meant.
  package func engineExpiry(of record: Record) -> UInt32? { expiry(of: record) }
}

extension EngineModel {
  /// The questions of an engine that asks nothing.
  package var questions: EngineQuestions {
    EngineQuestions(checksum: "damaged records", length: "length error")
  }

  /// Returns `nil`, because every entry can be kept.
  package func obstacle(to record: Record, scan: ScanMode) -> String? { nil }

  /// `false`: every value is in its record.
  package var keepsValuesElsewhere: Bool { false }

  /// Returns why there is no value of `record`, which sets a key: it was in a file of its own, which is
  /// missing; `nil` if there is one.
  package func reasonForNoValue(of record: Record) -> String? {
    keepsValuesElsewhere ? obstacle(to: record, scan: .plain) : nil
  }

  /// `true`: the engine reads every value as it is.
  package var readsValuesAsStored: Bool { true }

  /// Returns `asStored`, because the engine reads every value as it is.
  package func loadedValue(of record: Record) -> LoadedValue { .asStored }
}

extension Store {
  /// 0, because the files state no version.
  package var version: Int { 0 }

  /// No cipher that chains blocks.
  package var chainedBlockCount: Int? { nil }

  /// 256: the number of bytes of a few records that each have a checksum.
  package var mixedByteCount: Int { 256 }

  /// `false`: the records are not encrypted.
  package var isEncrypted: Bool { false }

  /// `.keep`, or `.plain` for a store that is not encrypted.
  package var encryption: CipherChoice { isEncrypted ? .keep : .plain }

  /// `readable`, because reading the records needs no key.
  package var access: Access { .readable }
}
