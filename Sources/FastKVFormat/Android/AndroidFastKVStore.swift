package import KVBytes
package import KVModel
import KVSystem

/// A store of FastKV for Android: up to three copies of a log, and files that hold one value each.
package struct AndroidFastKVStore: Store {
  /// The files that exist: copies A, B and C, then the external files.
  package let files: [StoreFile]
  /// The corrections with which the copies are read, at most one for each copy.
  package private(set) var corrections: [Correction] = []
  /// The corrections that were proposed and not applied.
  package private(set) var declinedCorrections: [Correction] = []

  let externals: ExternalFiles
  /// The files that could not be read.
  let unread: [StoreFile]
  let isTemporaryInPlaceOfC: Bool
  /// The intact `.tmp` beside an intact `.kvc` with other contents; `nil` if there is none.
  let newerThanC: AndroidCopy?
  /// What the engine does with the files as found.
  let load: EngineLoad
  let mode: AndroidOpeningMode
  let cipher: DemoCipher?
  /// The key in use, and how it was chosen.
  private let choice: KeyRing.Choice
  /// The copy that the engine reads.
  private let taken: FileRole?
  private var read: ReadCopies
  /// The store as found, if corrections are applied; at most one element.
  ///
  /// An array, because a struct cannot contain itself.
  private var origin: [AndroidFastKVStore] = []

  /// Creates the store in `files`, as found.
  init(
    _ files: [StoreFile], cipher: DemoCipher?, choice: KeyRing.Choice,
    mode: AndroidOpeningMode?
  ) {
    self.choice = choice
    let set = AndroidFileSet(files.read, cipher)
    unread = files.filter { $0.obstacle != nil }
    self.files = set.files.numbered(as: AndroidFileNames.roleNames)
    self.cipher = cipher
    isTemporaryInPlaceOfC = set.isTemporaryInPlaceOfC
    externals = ExternalFiles(self.files.filter { $0.role == .external })
    let isBlocking = set.copies.contains { $0.file.role == .copyC }
    self.mode = mode ?? (isBlocking ? .blocking : .nonBlocking)
    let model = AndroidLoadModel(set.engineCopies, self.mode)
    load = model.load
    let file = model.taken?.file
    taken = set.copies.first { $0.file == file }?.file.role
    newerThanC = set.newerThanC
    read = ReadCopies(set.copies, taken: taken, cipher, externals, newerThanC: newerThanC)
  }

  /// Returns the same files, read with exactly these corrections.
  package func applying(
    _ corrections: [Correction], declining declined: [Correction]
  ) -> AndroidFastKVStore {
    let found = origin.first ?? self
    var store = corrections.isEmpty ? found : self
    store.declinedCorrections = declined
    guard !corrections.isEmpty, corrections != self.corrections else { return store }
    let copies = found.copies.map { copy in
      guard let own = corrections.first(where: { $0.changedFile == copy.file.role }) else {
        return copy
      }
      if let done = self.copy(copy.file.role), done.corrected == own { return done }
      return AndroidCopy(copy.file, cipher, corrected: own)
    }
    store.corrections = corrections
    store.read = ReadCopies(copies, taken: taken, cipher, externals, newerThanC: newerThanC)
    store.origin = [found]
    return store
  }

  /// Returns the store that `files` are, read with the same cipher.
  package func reading(_ files: [StoreFile]) -> AndroidFastKVStore {
    AndroidFastKVStore(files, cipher: cipher, choice: choice, mode: mode)
  }

  /// Whether the records can be read with the key that was given.
  package var access: Access {
    choice.explaining(read.access, [AndroidFindings.keyNeeded, AndroidFindings.wrongKey])
  }
  /// What the headers say about where the log ends, the primary copy's first.
  package var lengthClaims: [LengthClaim] { read.lengthClaims }
  /// The traits of the log, including whether another copy may hold entries that the primary copy
  /// lacks.
  package var traits: LogTraits { read.traits }
  /// The bytes after the headers, in the order of the length claims.
  package var logAreas: [Extent] { read.logAreas }
  /// The copies, in the order of the roles.
  var copies: [AndroidCopy] { read.copies }
  /// The copy that entries are read from; `nil` if there is none.
  var primary: AndroidCopy? { read.primary }
  var doubts: CopyDoubts { read.doubts }

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
    let grammar = AndroidGrammar(
      copy.decoded.stored, extent.file, AndroidPlausibility(copy.decoded))
    var gaps: [Gap] = []
    var position = extent.offset
    // What a checksum verifies and the engine reads is no gap, even if its keys are not text.
    if let whole = copy.whole, whole.offset == position { position = min(whole.end, extent.end) }
    for stray in copy.survey?.strays ?? [] where extent.range.contains(stray.lowerBound) {
      gaps += grammar.gaps(in: position..<stray.lowerBound)
      position = min(stray.upperBound, extent.end)
    }
    return gaps + grammar.gaps(in: position..<extent.end)
  }

  /// Returns the records of an extent of a copy, read lazily; the events tile the extent.
  package func records(
    in extent: Extent, scan: ScanMode, around gaps: [Gap]
  ) -> AndroidFastKVRecords {
    let copy = copy(extent.file)
    let decoded = copy?.decoded ?? DecodedCopy(plain: FileImage([]), as: extent.file)
    return AndroidFastKVRecords(
      decoded, in: extent.range, mode: scan, gaps: gaps, strays: copy?.survey?.strays ?? [])
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
  package func engineLoad(answering answers: EngineAnswers) -> EngineLoad { load }

  func copy(_ role: FileRole) -> AndroidCopy? { copies.first { $0.file.role == role } }
}
