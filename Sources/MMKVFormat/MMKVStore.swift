package import KVBytes
import KVCryptography
package import KVModel
import KVSystem

extension FileRole {
  /// The `.crc` file.
  package static var meta: FileRole { FileRole(1) }
}

/// An MMKV instance: its data file, its `.crc` file, and what they show.
///
/// Either file may be missing. The engine extends both with zeros to whole pages before reading
/// them, so the images here are extended; reported offsets are within the files as they are.
package final class MMKVStore: Store {
  // A class, because a store is passed on often, and a copy of all its parts takes longer than much
  // of the work on a small store.

  /// The files that exist.
  package let files: [StoreFile]
  /// Whether the records can be read with the given key.
  package let access: Access
  /// The claims about the length of the log.
  package let lengthClaims: [LengthClaim]

  /// The properties of the log that reading it does not show.
  package let traits: LogTraits

  /// How the key was chosen.
  let choice: KeyRing.Choice
  /// Whether a key was given, but the records are read without it.
  let isKeyUnneeded: Bool
  /// How trustworthy the vector is, if nothing else shows that the log is damaged; otherwise `nil`.
  let vectorTrust: FirstBlock.Trust?
  /// Whether values end in an expiry time.
  let expiryForm: ExpiryForm
  let dataFile: StoreFile?
  let metaFile: StoreFile?
  let candidateIDs: [String]
  /// The time at which expiry is judged, in seconds since 1970.
  let now: UInt32
  /// The corrections with which the files are read.
  package let corrections: [Correction]
  /// The corrections that were proposed but not chosen.
  package let declinedCorrections: [Correction]
  /// The files as they are read.
  let view: MMKVView
  /// The offset of the last nonzero byte of the data file, searched for once because slack can be
  /// most of a file.
  private let lastNonzero: Int?

  /// The store as found, if corrections were applied; otherwise `nil`.
  private let origin: MMKVStore?

  /// The names of the roles in reports.
  static let roleNames: [FileRole: String] = [.data: "data", .meta: "meta"]

  /// Creates a store from these files as found; the key is used whether or not it fits.
  convenience init(
    data: StoreFile?, meta: StoreFile?, key: MMKVKey?, choice: KeyRing.Choice,
    isKeyUnneeded: Bool, now: UInt32, candidateIDs: [String]
  ) {
    self.init(
      data: data, meta: meta, view: MMKVView(data: data?.image, meta: meta?.image, key: key),
      choice: choice, isKeyUnneeded: isKeyUnneeded, now: now, candidateIDs: candidateIDs)
  }

  private init(
    data: StoreFile?, meta: StoreFile?, view: MMKVView, choice: KeyRing.Choice,
    isKeyUnneeded: Bool, now: UInt32, candidateIDs: [String],
    corrections: [Correction] = [], declined: [Correction] = [], origin: MMKVStore? = nil
  ) {
    self.candidateIDs = candidateIDs
    dataFile = data
    metaFile = meta
    self.now = now
    self.view = view
    self.choice = choice
    self.isKeyUnneeded = isKeyUnneeded
    self.corrections = corrections
    declinedCorrections = declined
    self.origin = origin
    files = [data, meta].compactMap { $0 }.numbered(as: Self.roleNames)
    access = choice.explaining(KeyFit(view).access, MMKVFindings.aboutKeys)
    expiryForm = ExpiryForm(view, isReadable: access == .readable)
    let firstBlock = FirstBlock(view)
    let isBlamed = access == .readable && view.lengthClaims.first?.checksum?.isSatisfied != false
    let trust = isBlamed ? firstBlock.trust : nil
    vectorTrust = trust
    traits = Self.traits(of: view, uncovered: firstBlock.extent)
    lengthClaims = view.lengthClaims.map { lengthClaim in
      if trust == .damaged { return lengthClaim.withoutChecksum }
      let rule = corrections.first { correction in
        correction.changes.contains { lengthClaim.checksum?.speaks(of: $0) ?? false }
      }?.rule
      return rule.map { lengthClaim.corrected(by: $0) } ?? lengthClaim
    }
    lastNonzero = view.stored.lastNonzero(in: view.stored.range)
  }

  /// Creates the same store with other corrections that were not chosen.
  private init(_ store: MMKVStore, declining declined: [Correction]) {
    files = store.files
    access = store.access
    lengthClaims = store.lengthClaims
    traits = store.traits
    choice = store.choice
    isKeyUnneeded = store.isKeyUnneeded
    vectorTrust = store.vectorTrust
    expiryForm = store.expiryForm
    dataFile = store.dataFile
    metaFile = store.metaFile
    candidateIDs = store.candidateIDs
    now = store.now
    corrections = store.corrections
    declinedCorrections = declined
    view = store.view
    lastNonzero = store.lastNonzero
    origin = store.origin
  }

  /// Returns the properties of the log in `view`.
  private static func traits(of view: MMKVView, uncovered: Extent?) -> LogTraits {
    var traits = LogTraits()
    traits.isRewrittenInPlace = true
    traits.segmentation = Segmentation.id
    if view.meta.effectiveVersion >= MetaInfo.Version.sequence {
      // Each full rewrite begins a log, and so does the first write. Overwriting a single entry in
      // place begins one too but is not counted; no last confirmed size is valid after it.
      traits.olderLogCount = max(0, Int(view.meta.sequence) - 1)
    }
    traits.displacement = view.page.displacement(of: view.dataCount)
    traits.uncovered = uncovered
    traits.undecodable = LogTraits.Undecodable(
      MMKVFindings.undecodable,
      "the app will see an empty store, and its next write will overwrite the log"
        + (view.key == nil ? "" : ". The IV in the meta file may be damaged"))
    return traits
  }

  /// Returns whether a log over which a checksum matches is decoded to what was written.
  package func isDecodedForSure(_ log: Extent) -> Bool {
    !isEncrypted || FirstBlock.isRight(view, for: log)
  }

  /// Returns those of `records` that no app is likely to have written.
  package func implausible(_ records: [Record]) -> [Record] {
    let plausibility = Resynchronizer(plainData, expiry: knownExpiry).plausibility
    return records.filter {
      !plausibility.accepts($0, in: plainData) || rule(against: $0) != nil
    }
  }

  /// Returns the rule against a value with a block of noise, as a changed byte of ciphertext
  /// causes.
  package func rule(against record: Record) -> RuleID? {
    isEncrypted && GarbledBlock.isIn(record.value, of: plainData) ? NoiseBlock.id : nil
  }

  /// The store as found, without corrections.
  var found: MMKVStore { origin ?? self }

  /// Returns the same files, read with `corrections` and no others.
  package func applying(
    _ corrections: [Correction], declining declined: [Correction]
  ) -> MMKVStore {
    // For a further step, start from this store: what is decrypted need not be decrypted again.
    let base = corrections.starts(with: self.corrections) ? self : found
    let edits = corrections.dropFirst(base.corrections.count).flatMap(\.edits)
    if edits.isEmpty { return MMKVStore(base, declining: declined) }
    return MMKVStore(
      data: dataFile, meta: metaFile, view: base.view.applying(edits), choice: choice,
      isKeyUnneeded: isKeyUnneeded, now: now, candidateIDs: candidateIDs, corrections: corrections,
      declined: declined, origin: found)
  }

  /// Returns the store that `files` are, read with the same key.
  package func reading(_ files: [StoreFile]) -> MMKVStore {
    MMKVStore(
      data: files.first { $0.role == .data }, meta: files.first { $0.role == .meta }, key: key,
      choice: choice, isKeyUnneeded: isKeyUnneeded, now: now, candidateIDs: candidateIDs)
  }

  var key: MMKVKey? { view.key }
  var page: PageSize { view.page }
  var meta: MetaInfo { view.meta }
  var header: DataHeader { view.header }
  var digests: PayloadDigests { view.digests }
  var storedData: FileImage { view.stored }
  var plainData: FileImage { view.plain }
  var storedMeta: FileImage { view.storedMeta }

  /// Whether values end in an expiry suffix, as far as the meta file shows and no values contradict it.
  private var knownExpiry: Plausibility.Expiry {
    expiryForm.contradiction == .none ? view.knownExpiry : .unknown
  }

  /// The name of the format.
  package var formatName: String { MMKVFormat.name }
  /// The version stated in the meta file.
  package var version: Int { Int(meta.version) }
  /// Whether the records are decrypted with a key.
  package var isEncrypted: Bool { key != nil }
  package var chainedBlockCount: Int? { isEncrypted ? Cryptography.blockCount : nil }
  /// 64: the placeholder that a log begins with has three bytes of 0xff, as has nearly every block of
  /// ciphertext some of 0x80 or more.
  package var mixedByteCount: Int { 64 }
  /// How to encrypt a store like this one.
  package var encryption: CipherChoice {
    key.map { .rekey($0.bytes, isAES256: $0.isAES256) } ?? .plain
  }

  /// The bytes after the header; an empty extent if there is no data file.
  package var logAreas: [Extent] {
    let count = dataFile?.image.count ?? 0
    return [Extent(.data, min(DataHeader.byteCount, count)..<count)]
  }

  /// The questions that MMKV asks the app through its handlers.
  package var questions: EngineQuestions {
    EngineQuestions(
      engine: "MMKV", checksum: LogQuestion.checksum.handlerName,
      length: LogQuestion.length.handlerName, isAppAsked: true)
  }

  /// Returns the bytes of a file as the engine sees them, extended with zeros to whole pages.
  package func stored(_ file: FileRole) -> FileImage { file == .meta ? storedMeta : storedData }

  /// Returns the same bytes, decrypted if there is a key.
  package func decoded(_ file: FileRole) -> FileImage { file == .meta ? storedMeta : plainData }

  /// Passes the same bytes to `body`.
  package func withDecoded<Result>(
    _ file: FileRole, _ body: (Span<UInt8>) -> Result
  ) -> Result {
    file == .meta ? view.storedMeta.withBytes(body) : view.plain.withBytes(body)
  }

  /// Returns the offset of the last nonzero byte of an extent, as stored; `nil` if all are zero.
  package func lastNonzero(in extent: Extent) -> Int? {
    guard extent.file == .data else { return storedMeta.lastNonzero(in: extent.range) }
    guard let lastNonzero, extent.offset <= lastNonzero else { return nil }
    return storedData.lastNonzero(in: extent.offset..<min(extent.end, lastNonzero + 1))
  }

  /// Returns the bytes of an extent of the data file that must be left out for the rest to decode.
  ///
  /// - Complexity: O(`extent.count`); damaged parts take several hundred nanoseconds per byte.
  package func gaps(in extent: Extent) -> [Gap] {
    view.gaps(in: extent.range, knownExpiry)
  }

  /// Returns the records of an extent of the data file, read lazily; the events tile it.
  ///
  /// - Precondition: `extent` is in the data file, and `gaps` lie in it, in order.
  package func records(in extent: Extent, scan: ScanMode, around gaps: [Gap]) -> MMKVRecords {
    MMKVRecords(plainData, in: extent.range, mode: scan, isEncrypted: isEncrypted, gaps: gaps)
  }

  /// Calls `body` with the events of ``records(in:scan:around:)``.
  package func forEachRecord(
    in extent: Extent, scan: ScanMode, around gaps: [Gap], _ body: (RecordEvent) -> Void
  ) {
    var pass = WorkPass(over: extent.range)
    for event in records(in: extent, scan: scan, around: gaps) {
      if pass.isOver(at: event.extent.offset) { return }
      body(event)
    }
  }

  /// Returns what the value of a record can be, the likeliest first.
  package func readings(of record: Record) -> [Reading] {
    readings(of: record, keeping: .max)
  }

  /// Returns what the value of a record can be, keeping about the first `limit` bytes of lists, texts
  /// and data.
  package func readings(of record: Record, keeping limit: Int) -> [Reading] {
    withValue(of: record) { [expiryForm] in
      ValueReader(hasExpirySuffix: expiryForm.hasTime($0)).readings(of: $0, keeping: limit)
    }
  }

  /// Ranks the types that the value of a record can have.
  package func rank(_ record: Record, _ ranking: inout TypeRanking) {
    withValue(of: record) { [expiryForm] in
      ValueReader(hasExpirySuffix: expiryForm.hasTime($0)).rank($0, &ranking)
    }
  }

  /// Returns the reading of a record's value as `candidate`.
  package func reading(
    of record: Record, as candidate: TypeCandidate, keeping limit: Int
  ) -> Reading {
    withValue(of: record) { [expiryForm] in
      ValueReader(hasExpirySuffix: expiryForm.hasTime($0))
        .reading(of: $0, as: candidate, keeping: limit)
    }
  }

  /// Returns the bytes after the inner length of `value`, and before its expiry time.
  package func textRange(in value: Span<UInt8>) -> Range<Int>? {
    ValueReader(hasExpirySuffix: expiryForm.hasTime(value)).content(of: value)
  }

  /// Calls `body` with the value bytes of `record`, decrypted.
  package func withValue<Result>(
    of record: Record, _ body: (Span<UInt8>) -> Result
  ) -> Result {
    withDecoded(record.file) { body($0.extracting(record.value)) }
  }

  /// Whether each record states the type of its value: `false`.
  package var storesTypes: Bool { false }

  /// Returns the value of a record as one of type `kind`; `.raw` is its bytes as they are.
  package func value(of record: Record, as kind: Value.Kind) -> Value? {
    let value = value(of: record)
    return ValueParser.value(
      hasExpiryTime(record) ? Array(value.dropLast(ExpirySuffix.byteCount)) : value, as: kind)
  }

  /// Returns when the record's entry expires; `nil` if the values of the store have no expiry time.
  package func expiry(of record: Record) -> UInt32? {
    guard expiryForm.isUsed else { return nil }
    return hasExpiryTime(record) ? ExpirySuffix(of: record, in: plainData)?.time ?? 0 : 0
  }

  /// Returns when the engine takes the entry to expire: it believes the flag, whatever the value is.
  package func engineExpiry(of record: Record) -> UInt32? {
    meta.hasExpiry ? ExpirySuffix(of: record, in: plainData)?.time ?? 0 : nil
  }

  func hasExpiryTime(_ record: Record) -> Bool {
    withValue(of: record) { expiryForm.hasTime($0) }
  }

  /// Returns why engines since 2.4.1 could not hold the entry: its key is too long.
  package func obstacle(to record: Record, scan: ScanMode) -> String? {
    guard scan.appliesEngineLimits else { return nil }
    let shape = RecordShape(range: record.extent.range, key: record.key, value: record.value)
    guard !shape.isReadByEngine(isEncrypted: isEncrypted) else { return nil }
    let limit = RecordShape.engineKeyLimit
    if record.key.count > limit {
      return "its key has \(record.key.count.inBytes); a store with a key over "
        + "\(limit.grouped) appears empty to the engine"
    }
    let overhead = record.value.lowerBound - record.offset
    return
      "its key and its lengths have \(overhead.inBytes); a store in which they have over "
      + "\(RecordShape.engineOverheadLimit.grouped) appears empty to the engine"
  }
}
