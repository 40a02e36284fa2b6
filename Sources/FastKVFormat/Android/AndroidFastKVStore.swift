package import KVBytes
package import KVModel
import KVSystem

/// A store of FastKV for Android: up to three copies of a log, and files that hold one value each.
package struct AndroidFastKVStore: Store {
  /// The corrections with which the copies are read, at most one for each copy.
  package private(set) var corrections: [Correction] = []
  /// The corrections that were proposed and not applied.
  package private(set) var declinedCorrections: [Correction] = []

  /// The copies as found, which the engine reads.
  private let found: [AndroidCopy]
  /// The files that could not be read.
  let unread: [StoreFile]
  let cipher: DemoCipher?
  /// The mode in which the app opens the store; `nil` to infer it from the files.
  private let mode: AndroidOpeningMode?
  /// The key in use, and how it was chosen.
  private let choice: KeyRing.Choice
  private var judgement: AndroidJudgement
  private var isJudged = false

  /// Creates the store in `files`, as found.
  init(
    _ files: [StoreFile], cipher: DemoCipher?, choice: KeyRing.Choice,
    mode: AndroidOpeningMode?
  ) {
    self.choice = choice
    self.cipher = cipher
    self.mode = mode
    unread = files.filter { $0.obstacle != nil }
    found = files.read.filter { $0.role != .external }.map { AndroidCopy($0, cipher) }
      .sorted { $0.file.role.number < $1.file.role.number }
    judgement = AndroidJudgement(
      asFound: found, files.read.filter { $0.role == .external }, cipher)
  }

  /// Returns the store with its copies weighed against each other.
  package func judged() -> AndroidFastKVStore {
    if isJudged { return self }
    var store = self
    store.judgement = AndroidJudgement(
      of: found, files.filter { $0.role == .external }, takenFrom: engineModel.taken?.file, cipher)
    store.isJudged = true
    return store
  }

  /// Returns the same files, read with exactly these corrections.
  package func applying(
    _ corrections: [Correction], declining declined: [Correction]
  ) -> AndroidFastKVStore {
    var store = corrections.isEmpty ? self : judged()
    store.declinedCorrections = declined
    guard corrections != self.corrections else { return store }
    store.corrections = corrections
    store.judgement = store.judgement.reading(with: corrections, cipher)
    return store
  }

  /// Returns the store that `files` are, read with the same cipher.
  package func reading(_ files: [StoreFile]) -> AndroidFastKVStore {
    AndroidFastKVStore(files, cipher: cipher, choice: choice, mode: mode)
  }

  /// The files that exist: copies A, B and C, then the external files.
  package var files: [StoreFile] { judgement.files }
  /// Whether the records can be read with the key that was given.
  package var access: Access {
    choice.explaining(judgement.access, [AndroidFindings.keyNeeded, AndroidFindings.wrongKey])
  }
  /// What the headers say about where the log ends, the primary copy's first.
  package var lengthClaims: [LengthClaim] { judgement.lengthClaims }
  /// The traits of the log, including whether another copy may hold entries that the primary copy
  /// lacks.
  package var traits: LogTraits { judgement.traits }
  /// The bytes after the headers, in the order of the length claims.
  package var logAreas: [Extent] { judgement.logAreas }
  /// The copies, in the order of the roles.
  var copies: [AndroidCopy] { judgement.copies }
  /// The copy that entries are read from; `nil` if there is none.
  var primary: AndroidCopy? { judgement.primary }
  var doubts: CopyDoubts { judgement.doubts }
  var externals: ExternalFiles { judgement.externals }
  /// Whether copy C is a `.tmp` that the engine ignores in favor of a damaged `.kvc`.
  var isTemporaryInPlaceOfC: Bool { judgement.isTemporaryInPlaceOfC }
  /// What the engine does with the files as found.
  var engineModel: AndroidLoadModel { AndroidLoadModel(found, mode) }

  /// The format's name.
  package var formatName: String { AndroidFastKVFormat.name }
  /// Whether the records of the primary copy are encrypted.
  package var isEncrypted: Bool { primary?.decoded.isEncrypted ?? false }

  /// What the engine reports; it asks the app nothing.
  package var questions: EngineQuestions {
    EngineQuestions(checksum: "checksum mismatch", length: "length error")
  }

  /// Returns the stored bytes of a copy, with corrections applied.
  ///
  /// For `.external`, returns the bytes of the first external file.
  package func stored(_ file: FileRole) -> FileImage {
    if file == .external { return externals.files.first?.image ?? FileImage([]) }
    return copy(file)?.decoded.stored ?? FileImage([])
  }

  /// Returns the decrypted bytes of a copy, with each plaintext at the offset of its ciphertext.
  package func decoded(_ file: FileRole) -> FileImage {
    if file == .external { return externals.files.first?.image ?? FileImage([]) }
    return copy(file)?.decoded.plain ?? FileImage([])
  }

  /// Finds the bytes of an extent of a copy that must be skipped for the rest to decode.
  ///
  /// - Complexity: O(`extent.count`), with a factor of some hundred nanoseconds per byte in damaged
  ///   parts.
  package func gaps(in extent: Extent) -> [Gap] {
    guard let copy = copy(extent.file) else { return [] }
    let grammar = AndroidGrammar(copy.decoded.stored, extent.file, copy.decoded.test)
    var position = extent.offset
    // What a checksum verifies and the engine reads is no gap, even if its keys are not text.
    if let whole = copy.whole, whole.offset == position { position = min(whole.end, extent.end) }
    return grammar.gaps(in: position..<extent.end)
  }

  /// Returns the records of an extent of a copy, read lazily; the events tile the extent.
  package func records(
    in extent: Extent, scan: ScanMode, around gaps: [Gap]
  ) -> AndroidFastKVRecords {
    let decoded =
      copy(extent.file)?.decoded ?? DecodedCopy(plain: FileImage([]), as: extent.file)
    return AndroidFastKVRecords(decoded, in: extent.range, mode: scan, gaps: gaps)
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

  /// Returns what FastKV does when it opens the files.
  ///
  /// It asks nothing, so the answers are ignored.
  package func engineLoad(answering answers: EngineAnswers) -> EngineLoad { engineModel.load }

  func copy(_ role: FileRole) -> AndroidCopy? { copies.first { $0.file.role == role } }
}
