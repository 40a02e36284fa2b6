public import KVBytes

/// A store as it lies on the disk: its bytes, what its fields say of them, and its records.
///
/// Nothing here fails because bytes are damaged, and nothing decides what to do about damage: that is
/// the business of `KVRecovery`, which knows a store by this protocol alone.
public protocol Store: Sendable {
  /// The records, gaps and filler of an extent.
  associatedtype Records: Sequence<RecordEvent>

  /// The format's name, as `--format` takes it.
  var formatName: String { get }
  /// The version that the files state.
  var version: Int { get }
  /// Whether the records are read through a cipher.
  var isEncrypted: Bool { get }
  /// Whether the records can be read with the key that was given.
  var access: Access { get }
  /// The files that exist, the one with the records first.
  var files: [StoreFile] { get }
  /// Every byte of every file, by meaning: the records as one region, and what is around them.
  var layout: [Region] { get }
  /// What the files say about where the log ends; the current account first.
  var accounts: [LogAccount] { get }
  /// The bytes in which a log can lie, from where it begins to the end of the file: first those that
  /// the current account speaks of, then those of other copies.
  ///
  /// There is at least one.
  var logAreas: [Extent] { get }

  /// Bytes that no stored checksum speaks of as they are decoded, though it covers them as stored: the
  /// first block under a cipher, whose vector is stored elsewhere. Nothing where there are none.
  var uncovered: Extent? { get }
  /// Whether each record has a checksum of its own, so that a log is whole when all its records are.
  var hasRecordChecksums: Bool { get }

  /// Whether the engine writes over live records in place: the new value of a lone entry over the old
  /// one, and the log that it compacts over itself.
  var isRewrittenInPlace: Bool { get }
  /// How many logs there were before the current one in the same file, of which bytes can be left behind
  /// it; nothing where that is not known.
  var formerLogCount: Int? { get }
  /// How many bytes too long the log's file is, where it looks as if some had been put into it; less than
  /// 0 where some seem to have been taken out; 0 where nothing says so.
  var displacement: Int { get }
  /// Those of `records` that look like none that an app wrote.
  func implausible(_ records: [Record]) -> [Record]

  /// The same store with every byte as it is in the files, which is how the engine reads it: without
  /// the bytes that were put right.
  ///
  /// Extents and offsets are the same in both.
  var asFound: Self { get }
  /// Whether this is how the engine reads the store: nothing was put right.
  var isAsFound: Bool { get }

  /// Whether the format's engine asks the app what to do about damage; else the app is told at most.
  var isAppAsked: Bool { get }
  /// The handler of the app that the format's engine calls with `question`, by the name that app
  /// developers know; kvfsck's own words where the engine asks nothing.
  func handlerName(for question: LogQuestion) -> String
  /// The key of `record`, decrypted.
  ///
  /// - Precondition: `record` came from this store.
  func key(of record: Record) -> Key
  /// The value bytes of `record`, as the record stores them, decrypted; of a value in a file of its
  /// own, that file's bytes.
  ///
  /// - Precondition: `record` came from this store.
  func value(of record: Record) -> [UInt8]

  /// The bytes of a file as the engine sees them, which may be longer than the file, as stored.
  func stored(_ file: FileRole) -> FileImage
  /// The same bytes with the cipher taken off; offsets are the same.
  func decoded(_ file: FileRole) -> FileImage
  /// The offset of the last byte of an extent that is not zero, as stored; nothing where all are.
  func lastNonzero(in extent: Extent) -> Int?
  /// Finds the bytes of an extent that have to be left out for the rest to decode, in order: reads
  /// on past damage, where the next record can be told.
  func gaps(in extent: Extent) -> [Gap]
  /// The records of an extent, read lazily; the events tile it.
  ///
  /// The scan passes over `gaps`, which are those of ``gaps(in:)``; damage that is in none of them
  /// makes the bytes up to the next gap, or to the end, one gap.
  func records(in extent: Extent, scan: ScanMode, around gaps: [Gap]) -> Records
  /// Hands the events of ``records(in:scan:around:)`` to `body`.
  ///
  /// A format restates the loop so that it is compiled where the scanner is known.
  func forEachRecord(
    in extent: Extent, scan: ScanMode, around gaps: [Gap], _ body: (RecordEvent) -> Void)
  /// What the value of a record can be; the likeliest first.
  func readings(of record: Record) -> [Reading]
  /// What the value of a record can be, the likeliest first; of lists, texts and data, no more than what
  /// lies in about the first `limit` bytes, so that a long value takes little memory.
  func readings(of record: Record, keeping limit: Int) -> [Reading]
  /// Hands the bytes of ``value(of:)`` to `body`, where possible without copying them.
  func withValue<Result>(of record: Record, _ body: (Span<UInt8>) -> Result) -> Result
  /// Whether each record says what type its value has.
  var storesTypes: Bool { get }
  /// The value of a record, taken for one of the type called `kind`, as ``Value/kind`` spells it;
  /// nothing where no value of that type is stored as these bytes.
  func value(of record: Record, as kind: String) -> Value?
  /// The class that the record names for its value, where that is more than the value's type says.
  func className(of record: Record) -> String?
  /// When the record's entry expires, in seconds since 1970; 0 for never, nothing where entries of
  /// this store do not expire.
  func expiry(of record: Record) -> UInt32?
  /// Why the value of `record` cannot be had though its record is whole; nothing where it can.
  func loss(of record: Record) -> String?
  /// The live records that are worth less than the checksum over their log says, each with what no
  /// checksum can exclude about it: they have no better evidence than `structure`.
  func doubts(about live: [Record]) -> [Record: [Caution]]
  /// Whether the files show that there may be entries that the log to go by does not hold, though it is
  /// whole.
  var mayLackEntries: Bool { get }
  /// Why the engine of today could not hold the entry of `record`; nothing where it can.
  func obstacle(to record: Record) -> String?
  /// What is remarkable about the files, the records aside.
  func check() -> [Finding]
  /// What it means that the log at `extent`, which the current account speaks of, does not decode to
  /// its end though its checksum holds; nothing where that goes without saying.
  ///
  /// Whoever has replayed the log asks, so that ``check()`` need not read it again.
  func undecodable(_ extent: Extent) -> Finding?
  /// What the engine does when it opens the files and is answered like this.
  func engineLoad(answering answers: EngineAnswers) -> EngineLoad
}

extension Store {
  /// The offset of the last byte of an extent that is not zero, as stored; nothing where all are.
  public func lastNonzero(in extent: Extent) -> Int? {
    stored(extent.file).lastNonzero(in: extent.range)
  }

  /// Hands the events of ``records(in:scan:around:)`` to `body`.
  public func forEachRecord(
    in extent: Extent, scan: ScanMode, around gaps: [Gap], _ body: (RecordEvent) -> Void
  ) {
    for event in records(in: extent, scan: scan, around: gaps) { body(event) }
  }

  /// The records of an extent to the first damage.
  public func records(in extent: Extent, scan: ScanMode) -> Records {
    records(in: extent, scan: scan, around: [])
  }

  /// The bytes in which the log can lie that the current account speaks of.
  public var logArea: Extent { logAreas[0] }

  /// The store with every byte as it is in the files: this one, where nothing is put right.
  public var asFound: Self { self }

  /// Whether nothing was put right: so it is.
  public var isAsFound: Bool { true }

  /// Whether the format's engine asks the app what to do about damage: no.
  public var isAppAsked: Bool { false }

  /// Whether live records are written over in place: no.
  public var isRewrittenInPlace: Bool { false }

  /// How many logs there were before: that is not known.
  public var formerLogCount: Int? { nil }

  /// How many bytes too long the log's file is: it may have any length.
  public var displacement: Int { 0 }

  /// What the value of a record can be, cut to about the first `limit` bytes.
  public func readings(of record: Record, keeping limit: Int) -> [Reading] {
    readings(of: record).map { $0.keeping(limit) }
  }

  /// Hands a copy of the value's bytes to `body`.
  public func withValue<Result>(
    of record: Record, _ body: (Span<UInt8>) -> Result
  ) -> Result {
    body(value(of: record).span)
  }

  /// Those of `records` that look like none that an app wrote: where records say what type their values
  /// have, those do not decode.
  public func implausible(_ records: [Record]) -> [Record] { [] }

  /// Bytes that no stored checksum speaks of as they are decoded: none.
  public var uncovered: Extent? { nil }

  /// Whether each record says what type its value has: it does.
  public var storesTypes: Bool { true }

  /// The class of the value: none is named.
  public func className(of record: Record) -> String? { nil }

  /// The value of a record as one of the type called `kind`: that reading, if it is among them.
  public func value(of record: Record, as kind: String) -> Value? {
    readings(of: record).first { $0.value.kind == kind }?.value
  }

  /// Why the value of `record` cannot be had: it can, it is in the record.
  public func loss(of record: Record) -> String? { nil }

  /// The live records that are worth less than the checksum over their log: none.
  public func doubts(about live: [Record]) -> [Record: [Caution]] { [:] }

  /// Whether there may be entries that a whole log does not hold: no.
  public var mayLackEntries: Bool { false }

  /// Whether each record has a checksum of its own: no.
  public var hasRecordChecksums: Bool { false }

  /// What it means that a log does not decode though its checksum holds: nothing more than that.
  public func undecodable(_ extent: Extent) -> Finding? { nil }

  /// The key of `record`: its bytes in the decrypted file.
  public func key(of record: Record) -> Key {
    Key(decoded(record.file).bytes(in: record.key))
  }

  /// The value bytes of `record`: those in the decrypted file.
  public func value(of record: Record) -> [UInt8] {
    decoded(record.file).bytes(in: record.value)
  }

  /// The checksums that the files hold.
  public var claims: [ChecksumClaim] { accounts.compactMap(\.claim) }
}
