import KVBytes
import KVModel

/// A log in a source that has the size and the checksum which a meta file states.
struct CarvedLog: Codable, Sendable {
  /// The runs of the data file.
  let runs: [Range<Int>]
  /// The size in its header.
  let header: Int
  /// The size of the log.
  let size: Int
  let meta: CarvedMeta
  /// The log's records, if they fill it.
  let chain: CarvedChain?
  /// The number of keys with a value in the log, which one of the given keys decrypts.
  var decryptedCount: Int?
  /// Whether the file has only zeros after the log.
  let endsBeforeZeros: Bool

  /// The evidence from records that fill the log, and from zeros after it, in bits.
  private static let chainBits = 20.0
  private static let endBits = 8.0
  /// The number of bits above which a coincidence is excluded.
  private static let provenBits = 8.0

  /// Where the data file begins.
  var offset: Int { runs[0].lowerBound }

  /// Whether this, decoded, can be in a source of `count` bytes.
  func isSound(in count: Int) -> Bool {
    (1...2).contains(runs.count) && runs.allSatisfy { $0.lowerBound < count && !$0.isEmpty }
      && size <= CarvingWindow.logLimit && meta.isSound(in: count)
  }

  /// Whether only the checksum shows that a log begins here: neither records nor the header do.
  var hasOnlyChecksum: Bool { chain == nil && header != 0 && header != meta.size }

  /// Returns the store, if `trials` checksums were compared, each of which may match by coincidence.
  func store(trials: Int) -> CarvedStore {
    var bits = 32 - Logarithm.base2(Double(max(1, trials)))
    // Without a size in the meta file, that in the header is no evidence: any would be compared.
    if header == meta.size { bits += 32 }
    if chain != nil { bits += Self.chainBits }
    if endsBeforeZeros { bits += Self.endBits }
    let metaFile = CarvedFile(
      ".crc", [meta.offset..<meta.offset + CarvingWindow.pageCount], own: CarvingWindow.sectorCount)
    return CarvedStore(
      MMKVFormat.name, [CarvedFile("", runs, own: DataHeader.byteCount + size), metaFile],
      bits >= Self.provenBits ? .proven : .inferred,
      Probability(1 / (1 + Logarithm.power2(-bits))),
      because: "the meta file's CRC-32 matches over \(size.inBytes)"
        + (chain == nil ? "" : ", which records fill")
        + (decryptedCount == nil ? "" : ", which records fill after decryption"),
      entryCount: chain?.entryCount ?? decryptedCount)
  }
}

/// The beginning of what may be a log.
struct LogPart: Codable, Sendable {
  /// Where the data file begins.
  let offset: Int
  /// The size in its header.
  let header: Int
  /// The records; `nil` if the bytes may be encrypted.
  let chain: CarvedChain?

  /// The number of pages of which an encrypted first part may consist.
  private static let encryptedPages = 1...16

  /// The numbers of pages after which the file may continue elsewhere.
  var possiblePages: ClosedRange<Int>? {
    if let chain { chain.possiblePages } else { Self.encryptedPages }
  }

  /// Returns the size of the log if `meta` describes it; `nil` if it cannot.
  func size(by meta: CarvedMeta) -> Int? {
    header == 0 || header == meta.size || chain != nil ? meta.size : nil
  }

  /// The store that the records show; `nil` if they are too few.
  var store: CarvedStore? {
    guard let chain, chain.isLog || header + DataHeader.byteCount == chain.end else { return nil }
    let page = CarvingWindow.pageCount
    let end = (chain.end + page - 1) / page * page
    return CarvedStore(
      MMKVFormat.name, [CarvedFile("", [offset..<offset + end], own: chain.end)], .inferred,
      Probability(1 - Logarithm.power2(-Double(2 * chain.differentCount + 2))),
      because: "\(chain.count) records follow each other", entryCount: chain.entryCount)
  }
}
