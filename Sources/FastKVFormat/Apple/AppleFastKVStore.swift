package import KVBytes
package import KVModel
import KVSystem

/// A store of FastKV for iOS: one file with a header, records, and leftovers after them.
package struct AppleFastKVStore: Store {
  /// The file.
  package let files: [StoreFile]
  let file: StoreFile
  package let image: FileImage
  let header: AppleHeader
  package let dialect: AppleDialect
  /// The number of whole records from which the dialect was detected.
  let dialectWitnessCount: Int
  let reader: AppleRecordReader
  /// The pointer width requested for a new store; `nil` to keep this store's width.
  let requestedWidth: Int?
  /// The corrections with which the file is read, in file order.
  package let corrections: [Correction]
  /// The corrections that were proposed and not applied.
  package private(set) var declinedCorrections: [Correction] = []
  /// What the records show about the length in the header; `nil` in a store as found.
  package private(set) var evidence: LengthEvidence?

  /// Creates the store in `file`, read with `corrections`.
  init(_ file: StoreFile, requestedWidth: Int?, corrections: [Correction] = []) {
    self.file = file
    self.requestedWidth = requestedWidth
    self.corrections = corrections
    files = [file]
    let edits = corrections.flatMap(\.edits)
    image = file.image.applying(edits, of: .data)
    header = AppleHeader(of: image)
    let (dialect, records) = AppleDialect.detect(in: image)
    self.dialect = dialect
    dialectWitnessCount = records
    let bytes = corrections.flatMap { correction in
      correction.changes.map { CorrectedByte(offset: $0.offset, isProven: correction.isProven) }
    }.sorted { $0.offset < $1.offset }
    let reader = AppleRecordReader(image, dialect, corrected: bytes)
    let area = min(AppleHeader.byteCount, image.count)..<image.count
    let ignoresLengths = edits.contains { if case .ignoredLengths = $0 { true } else { false } }
    self.reader =
      ignoresLengths
      ? AppleRecordReader(image, dialect, corrected: bytes, AppleVocabulary(reader, in: area))
      : reader
  }

  /// Returns the store with the length in its header weighed against the records.
  package func judged() -> AppleFastKVStore {
    if evidence != nil { return self }
    var store = self
    store.evidence = LengthEvidence(reader, header)
    return store
  }

  /// Returns the same file, read with exactly these corrections.
  package func applying(
    _ corrections: [Correction], declining declined: [Correction]
  ) -> AppleFastKVStore {
    var store = self
    if corrections != self.corrections {
      store = AppleFastKVStore(file, requestedWidth: requestedWidth, corrections: corrections)
    }
    if !corrections.isEmpty { store = store.judged() }
    store.declinedCorrections = declined
    return store
  }

  /// Returns the store that `files` are, of which only the first is read.
  package func reading(_ files: [StoreFile]) -> AppleFastKVStore {
    AppleFastKVStore(files.first ?? file, requestedWidth: requestedWidth)
  }

  /// The largest number of exchanges of two blocks that are undone.
  private static let exchangeLimit = 4

  /// Returns two blocks that changed places, or else the changed bits that the records' own checksums
  /// show, and a correction that reads past damaged lengths; none if every record is whole.
  package func proposedCorrections() -> [Correction] {
    guard declinedCorrections.isEmpty,
      corrections.allSatisfy({ $0.rule == AppleMisplacedBlocks.id }),
      let evidence = judged().evidence, let damaged = evidence.damaged
    else { return [] }
    if corrections.count < Self.exchangeLimit,
      let exchange = AppleExchangedBlocks(reader, in: evidence.stated.written).correction
    {
      return [exchange]
    }
    return bitCorrections(in: damaged) + [
      // With the lengths as stored, there is no record.
      Correction(
        [.ignoredLengths(Extent(.data, damaged))], by: AppleDividedRecord.self, nil,
        neededBits: 0, reason: "records with damaged lengths are read by their separators")
    ]
  }

  /// Returns the corrections of single bits in `range`.
  private func bitCorrections(in range: Range<Int>) -> [Correction] {
    if dialectWitnessCount > 0 {
      return AppleCorrectionSearch(reader).corrections(in: range)
    }
    // If no record is whole, only the corrections show the dialect.
    var most: [Correction] = []
    for dialect in AppleDialect.all {
      let found = AppleCorrectionSearch(AppleRecordReader(image, dialect)).corrections(in: range)
      if found.count > most.count { most = found }
    }
    return most
  }

  /// The format's name.
  package var formatName: String { AppleFastKVFormat.name }
  /// The version that the header states.
  package var version: Int { Int(header.version) }
  /// The traits of the log: each record has its own checksum.
  package var traits: LogTraits {
    var traits = LogTraits()
    traits.segmentation = AppleSegmentation.id
    traits.hasRecordChecksums = true
    return traits
  }

  /// The bytes after the header.
  package var logAreas: [Extent] {
    [Extent(.data, min(AppleHeader.byteCount, image.count)..<image.count)]
  }

  /// What the engine reports: the code that its delegate is called with.
  ///
  /// A CRC mismatch is ignored silently.
  package var questions: EngineQuestions {
    EngineQuestions(checksum: "damaged records", length: EngineError.length.name)
  }

  /// Returns the bytes of the file, with corrections applied.
  package func stored(_ file: FileRole) -> FileImage { image }
  /// Returns the same bytes; the format has no encryption.
  package func decoded(_ file: FileRole) -> FileImage { image }
  /// Passes the same bytes to `body`.
  package func withDecoded<Result>(
    _ file: FileRole, _ body: (Span<UInt8>) -> Result
  ) -> Result {
    image.withBytes(body)
  }

  /// Finds the bytes of an extent that must be skipped for the rest to decode.
  ///
  /// - Complexity: O(`extent.count`).
  package func gaps(in extent: Extent) -> [Gap] {
    var gaps: [Gap] = []
    var walk = AppleWalk(reader, in: extent.range)
    while let step = walk.next() {
      guard case .gap(let gap) = step else { continue }
      if let last = gaps.last, last.extent.end == gap.extent.offset {
        gaps[gaps.count - 1] = Gap(
          Extent(.data, last.extent.offset..<gap.extent.end), last.cause)
      } else {
        gaps.append(gap)
      }
    }
    return gaps
  }

  /// Returns the records of an extent, read lazily; the events tile the extent.
  ///
  /// - Precondition: `extent` lies in the file, and `gaps` lie in `extent`, in order.
  package func records(in extent: Extent, scan: ScanMode, around gaps: [Gap]) -> AppleRecords {
    AppleRecords(reader, in: extent.range, mode: scan, gaps: gaps)
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
}
