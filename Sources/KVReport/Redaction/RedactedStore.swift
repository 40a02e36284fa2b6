import KVBytes
import KVConversion
import KVModel
import KVRecovery

/// A store whose keys and values are hidden from those who report about it.
///
/// Everything else is that of the store itself. Its bytes are too, for the judgement of records; who
/// shows bytes asks ``isRedacted``.
struct RedactedStore<Base: Store>: Store {
  private let base: Base
  private let typing: StoreTyping
  private let redaction: Redaction
  /// The hashes of the keys that are surely keys.
  private let keys: Set<Int>

  init(_ base: Base, _ typing: StoreTyping, _ redaction: Redaction, keys: Set<Int>) {
    self.base = base
    self.typing = typing
    self.redaction = redaction
    self.keys = keys
  }

  // MARK: Hidden

  var isRedacted: Bool { true }
  var storesTypes: Bool { true }

  func key(of record: Record) -> Key { shown(base.key(of: record)) }
  func withKey<Result>(of record: Record, _ body: (Span<UInt8>) -> Result) -> Result {
    body(key(of: record).bytes.storageSpan)
  }
  func shown(_ key: Key) -> Key { redaction.key(key, among: keys) }
  var files: [StoreFile] { base.files.map(redaction.file) }
  var layout: [Region] { base.layout.map(redaction.region) }

  func value(of record: Record) -> [UInt8] {
    if case .string(let text) = hidden(record) { Array(text.utf8) } else { [] }
  }

  func readings(of record: Record) -> [Reading] { [Reading(hidden(record), because: "redacted")] }

  private func hidden(_ record: Record) -> Value {
    redaction.value(
      typing.readings(of: record, in: base)[0].value, storedAs: base.value(of: record))
  }

  // MARK: Shown

  var formatName: String { base.formatName }
  var version: Int { base.version }
  var isEncrypted: Bool { base.isEncrypted }
  var encryption: CipherChoice { base.encryption }
  var access: Access { base.access }
  var entryWeights: EntryWeights { base.entryWeights }
  var chainedBlockCount: Int? { base.chainedBlockCount }
  var mixedByteCount: Int { base.mixedByteCount }
  func isDecodedForSure(_ log: Extent) -> Bool { base.isDecodedForSure(log) }
  func check() -> [Finding] { base.check() }
  func expiry(of record: Record) -> UInt32? { base.expiry(of: record) }

  var logAreas: [Extent] { base.logAreas }
  func stored(_ file: FileRole) -> FileImage { base.stored(file) }
  func decoded(_ file: FileRole) -> FileImage { base.decoded(file) }
  func withDecoded<Result>(_ file: FileRole, _ body: (Span<UInt8>) -> Result) -> Result {
    base.withDecoded(file, body)
  }
  func lastNonzero(in extent: Extent) -> Int? { base.lastNonzero(in: extent) }
  var lengthClaims: [LengthClaim] { base.lengthClaims }
  var traits: LogTraits { base.traits }

  func gaps(in extent: Extent) -> [Gap] { base.gaps(in: extent) }
  func records(in extent: Extent, scan: ScanMode, around gaps: [Gap]) -> Base.Records {
    base.records(in: extent, scan: scan, around: gaps)
  }
  func implausible(_ records: [Record]) -> [Record] { base.implausible(records) }
  func rule(against record: Record) -> RuleID? { base.rule(against: record) }
  func conclusions(about live: [Record], in log: Extent?) -> [Conclusion] {
    base.conclusions(about: live, in: log)
  }
  func conclusions(after log: Extent, holding live: [Record]) -> [Conclusion] {
    base.conclusions(after: log, holding: live)
  }

  var questions: EngineQuestions { base.questions }
  func engineLoad(answering answers: EngineAnswers) -> EngineLoad {
    base.engineLoad(answering: answers)
  }
  func obstacle(to record: Record, scan: ScanMode) -> String? {
    let obstacle = base.obstacle(to: record, scan: scan)
    // The file is named by the bytes of the record.
    return scan.appliesEngineLimits
      ? obstacle : obstacle.map { _ in "its value is in a file that is missing or cannot be read" }
  }
  var keepsValuesElsewhere: Bool { base.keepsValuesElsewhere }
  func engineExpiry(of record: Record) -> UInt32? { base.engineExpiry(of: record) }
  var readsValuesAsStored: Bool { base.readsValuesAsStored }
  func loadedValue(of record: Record) -> LoadedValue { base.loadedValue(of: record) }

  var corrections: [Correction] { base.corrections }
  var declinedCorrections: [Correction] { base.declinedCorrections }
  func judged() -> Self { with(base.judged()) }
  func proposedCorrections() -> [Correction] { base.proposedCorrections() }
  func applying(_ corrections: [Correction], declining declined: [Correction]) -> Self {
    with(base.applying(corrections, declining: declined))
  }
  func reading(_ files: [StoreFile]) -> Self { with(base.reading(files)) }

  private func with(_ base: Base) -> Self { RedactedStore(base, typing, redaction, keys: keys) }
}
