import KVBytes
import KVModel

/// Records in the clear within an encrypted log.
///
/// The engine moves and overwrites records decrypted, and encrypts them where they then are. An app
/// that is killed in between leaves them in the clear. They are looked for where the decrypted bytes
/// are no records.
///
/// What it assumes: that cipher text hardly ever looks like two records in a row with text for keys, like
/// one whose key and value are text, or like one with text for its key where the log's first one is.
struct PlaintextIslands {
  /// How long a lone record's text must be to be no accident.
  private static let textCount = 8
  /// How many bytes a key must have to speak for its record.
  private static let keyCount = 3

  /// Where they are, in order.
  let ranges: [Range<Int>]
  /// Whether records come out with the key elsewhere.
  let isDecrypted: Bool

  /// The islands in the data file of `view`; none where its checksum holds, or there is no key.
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
    // A store that was never encrypted is all in the clear, and its key was given in vain.
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

  /// The records of `range` that are in the clear.
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

  /// Whether the record stands where the log's first one does, as a lone entry that is written over.
  private static func isFirst(_ record: Record) -> Bool {
    record.offset == DataHeader.byteCount + DataHeader.prefixCount && record.key.count >= 4
  }

  /// Whether a record's key is text, and its value one of some length.
  private static func isText(_ record: Record, in image: FileImage) -> Bool {
    let text = Plausibility.content(of: record.value, in: image)
    return text.count >= textCount && Plausibility.isText(image, record.key)
      && Plausibility.isText(image, text)
  }

  /// How many plausible records follow one another, at most, from where reading resynchronizes; two
  /// are enough to know.
  private static func chain(in image: FileImage, _ range: Range<Int>) -> Int {
    let sample = range.prefix(1 << 16)
    return PlausibleChain(
      in: image, sample, around: Resynchronizer(image, expiry: .unknown).gaps(in: sample),
      enough: 2, keyCount: keyCount
    ).count
  }
}
