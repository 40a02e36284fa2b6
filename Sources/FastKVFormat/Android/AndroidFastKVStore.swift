package import KVBytes
package import KVModel
import KVSystem

/// A FastKV store of Android: up to three copies of its log, and files that hold one value each.
package struct AndroidFastKVStore: Store {
  /// The files that exist: copies A, B and C, then those with a value each.
  package let files: [StoreFile]
  /// The corrections with which the copies are read, one for each copy at most.
  package private(set) var corrections: [Correction] = []
  /// Those that were proposed and not chosen.
  package private(set) var declinedCorrections: [Correction] = []

  let externals: ExternalFiles
  /// The files that could not be read.
  let unread: [StoreFile]
  let isTemporaryInPlaceOfC: Bool
  /// What the engine does with the files, as found.
  let load: EngineLoad
  let mode: AndroidOpeningMode
  let cipher: (any FastKVCipher)?
  /// How the key was chosen.
  private let choice: KeyRing.Choice
  /// The copy that the engine takes.
  private let taken: FileRole?
  private var read: ReadCopies
  /// The store as found, if this is another one; at most one, as a struct cannot hold itself.
  private var origin: [AndroidFastKVStore] = []

  /// The store of these files, as found.
  init(
    _ files: [StoreFile], cipher: (any FastKVCipher)?, choice: KeyRing.Choice,
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
    read = ReadCopies(set.copies, taken: taken, cipher)
  }

  /// Returns the same files, read with `corrections` and no others.
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
    store.read = ReadCopies(copies, taken: taken, cipher)
    store.origin = [found]
    return store
  }

  /// Whether the records can be read with the key that was given.
  package var access: Access {
    choice.explaining(read.access, [AndroidFindings.keyNeeded, AndroidFindings.wrongKey])
  }
  /// What the headers say about where the log ends; that of the copy to go by first.
  package var lengthClaims: [LengthClaim] { read.lengthClaims }
  /// Whether a copy that is damaged, or differs, may hold entries that the one to go by does not.
  package var traits: LogTraits { read.traits }
  /// The bytes after the headers, in the order of the length claims.
  package var logAreas: [Extent] { read.logAreas }
  /// The copies, in the order of the roles.
  var copies: [AndroidCopy] { read.copies }
  /// The copy to go by; `nil` where there is none.
  var primary: AndroidCopy? { read.primary }
  var doubts: CopyDoubts { read.doubts }

  /// The format's name.
  package var formatName: String { AndroidFastKVFormat.name }
  /// Whether the records of the copy to go by are encrypted.
  package var isEncrypted: Bool { primary?.decoded.isEncrypted ?? false }

  /// The engine asks the app nothing.
  package var questions: EngineQuestions {
    EngineQuestions(checksum: "checksum mismatch", length: "length error")
  }

  /// The bytes of a copy as stored, corrected where that was possible, or those of the first file that
  /// holds one value.
  package func stored(_ file: FileRole) -> FileImage {
    if file == .external { return externals.files.first?.image ?? FileImage([]) }
    return copy(file)?.decoded.stored ?? FileImage([])
  }

  /// The bytes of a copy with the cipher taken off: each plaintext where its ciphertext begins.
  package func decoded(_ file: FileRole) -> FileImage {
    if file == .external { return externals.files.first?.image ?? FileImage([]) }
    return copy(file)?.decoded.plain ?? FileImage([])
  }

  /// Finds the bytes of an extent of a copy that have to be left out for the rest to decode.
  ///
  /// - Complexity: O(`extent.count`), with a factor of some hundred nanoseconds a byte in damaged parts.
  package func gaps(in extent: Extent) -> [Gap] {
    guard let copy = copy(extent.file) else { return [] }
    let grammar = AndroidGrammar(
      copy.decoded.stored, extent.file, AndroidPlausibility(copy.decoded))
    var gaps: [Gap] = []
    var position = extent.offset
    for stray in copy.survey?.strays ?? [] where extent.range.contains(stray.lowerBound) {
      gaps += grammar.gaps(in: position..<stray.lowerBound)
      position = min(stray.upperBound, extent.end)
    }
    return gaps + grammar.gaps(in: position..<extent.end)
  }

  /// The records of an extent of a copy, read lazily; the events tile it.
  package func records(
    in extent: Extent, scan: ScanMode, around gaps: [Gap]
  ) -> AndroidFastKVRecords {
    let copy = copy(extent.file)
    let decoded = copy?.decoded ?? DecodedCopy(plain: FileImage([]), as: extent.file)
    return AndroidFastKVRecords(
      decoded, in: extent.range, mode: scan, gaps: gaps, strays: copy?.survey?.strays ?? [])
  }

  /// Hands the events of ``records(in:scan:around:)`` to `body`.
  package func forEachRecord(
    in extent: Extent, scan: ScanMode, around gaps: [Gap], _ body: (RecordEvent) -> Void
  ) {
    var pass = WorkPass(over: extent.range)
    for event in records(in: extent, scan: scan, around: gaps) {
      if pass.isOver(at: event.extent.offset) { return }
      body(event)
    }
  }

  /// What FastKV does when it opens the files; it asks nothing, so the answers do not matter.
  package func engineLoad(answering answers: EngineAnswers) -> EngineLoad { load }

  func copy(_ role: FileRole) -> AndroidCopy? { copies.first { $0.file.role == role } }
}
