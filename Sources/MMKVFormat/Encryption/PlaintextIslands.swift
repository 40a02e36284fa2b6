import KVBytes
import KVModel

/// Plaintext records within an encrypted log.
///
/// The engine moves and overwrites records in decrypted form, and encrypts them in their new place.
/// If the app is killed in between, they are left in plaintext. They are searched for where the
/// decrypted bytes are not records.
///
/// The search assumes that ciphertext hardly ever looks like two consecutive records with text
/// keys, like one record whose key and value are text, or like one with a text key in the place of
/// the log's first record.
struct PlaintextIslands {
  /// The least length of the text in a single record that is not a coincidence.
  private static let textCount = 8
  /// The least length of a key that is evidence for its record.
  private static let keyCount = 3

  /// The ranges of the plaintext records, in order.
  let ranges: [Range<Int>]
  /// Whether decryption yields records elsewhere.
  let isDecrypted: Bool

  /// Finds the plaintext records in the data file of `view`; none if its checksum matches, or
  /// without a key.
  ///
  /// - Complexity: O(size of the file).
  init(_ view: MMKVView) {
    guard view.key != nil, view.lengthClaims.first?.isVerified == false, view.dataCount > 0 else {
      ranges = []
      isDecrypted = false
      return
    }
    let start = min(DataHeader.byteCount, view.dataCount)
    let end = view.stored.lastNonzero(in: start..<view.dataCount).map { $0 + 1 } ?? start
    let written = start..<end
    isDecrypted = PlaintextIslands.chain(in: view.plain, written) > 1
    // A store that was never encrypted is all plaintext, and does not need its key.
    guard isDecrypted || PlaintextIslands.chain(in: view.stored, written) == 1 else {
      ranges = []
      return
    }
    let gaps =
      isDecrypted
      ? Resynchronizer(view.plain, expiry: .unknown).gaps(in: written).map(\.extent.range)
      : [written]
    ranges = gaps.flatMap { PlaintextIslands.islands(in: view.stored, $0) }
  }

  /// Returns the records in `range` that are in plaintext.
  private static func islands(in image: FileImage, _ range: Range<Int>) -> [Range<Int>] {
    let gaps = Resynchronizer(image, expiry: .unknown).gaps(in: range)
    var islands: [Range<Int>] = []
    var island: [Record] = []
    func close() {
      if let first = island.first, let last = island.last,
        island.count > 1 || isText(first, in: image) || isFirst(first)
      {
        islands.append(first.offset..<last.extent.end)
      }
      island = []
    }
    for event in MMKVRecords(image, in: range, mode: .plain, isEncrypted: false, gaps: gaps) {
      if case .record(let record) = event,
        PlausibleChain.isLink(record, in: image, keyCount: keyCount)
      {
        island.append(record)
      } else {
        close()
      }
    }
    close()
    return islands
  }

  /// Returns whether `record` is in the place of the log's first one, as a single entry that is
  /// overwritten is.
  private static func isFirst(_ record: Record) -> Bool {
    record.offset == DataHeader.byteCount + DataHeader.prefixCount && record.key.count >= 4
  }

  /// Returns whether the record's key is text, and its value is text of some length.
  private static func isText(_ record: Record, in image: FileImage) -> Bool {
    let text = Plausibility.content(of: record.value, in: image)
    return text.count >= textCount && Plausibility.isText(image, record.key)
      && Plausibility.isText(image, text)
  }

  /// Returns the number of consecutive plausible records, counting at most two; reading
  /// resynchronizes after damage.
  private static func chain(in image: FileImage, _ range: Range<Int>) -> Int {
    let sample = range.prefix(1 << 16)
    return PlausibleChain(
      in: image, sample, around: Resynchronizer(image, expiry: .unknown).gaps(in: sample),
      enough: 2, keyCount: keyCount
    ).count
  }
}
