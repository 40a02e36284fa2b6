import KVBytes
import KVModel

/// The log of a store about which there is nothing to explain, read once for what a list of stores
/// shows.
///
/// Most stores on a device are like this. Their checksums match, every byte of the log is in a whole
/// record, and only zeros follow it. Then there is one state, the engine loads it, and no rule of
/// evidence has anything to conclude. Whatever does not fit is left to ``MMKVStore``.
struct IntactLog {
  /// The size, in bytes, of the largest log that is read: for longer ones, the work that is saved
  /// counts little.
  private static let limit = 1 << 16
  /// The size, in bytes, of the largest file that is read.
  static let fileLimit = 1 << 20
  /// The size of a log from which a store that consists mostly of dead records is noted.
  private static let bloatCount = 4096
  /// A random seed, so that nobody can craft a file in which all keys have the same hash.
  private static let seed = UInt64.random(in: 0 ... .max)

  /// The number of live entries.
  let entryCount: Int
  /// The records that are not live.
  let past: PastRecords
  /// The kinds of the findings, none of which is damage.
  let codes: [FindingCode]

  /// Reads the log of these two files; `nil` if they need a diagnosis.
  init?(data: FileImage, meta: FileImage) {
    var metaCursor = ByteCursor(meta.storageSpan, in: meta.range)
    var dataCursor = ByteCursor(data.storageSpan, in: data.range)
    guard let info = try? MetaInfo(parsing: &metaCursor),
      let header = try? DataHeader(parsing: &dataCursor),
      Self.isUsual(info), meta.isZero(in: MetaInfo.Field.reserved),
      meta.isZero(in: MetaInfo.byteCount..<meta.count),
      header.payloadCount <= data.count, data.count % PageSize(data: data, meta: meta).count == 0
    else { return nil }
    let count = Int(info.actualCount)
    guard (NoiseOdds.emptyCount + 1...Self.limit).contains(count), count <= dataCursor.remaining,
      Self.digestsMatch(info, data)
    else { return nil }
    let log = DataHeader.byteCount..<DataHeader.byteCount + count
    guard data.isZero(in: log.upperBound..<data.count),
      let (entryCount, past) = Self.counts(in: log, of: data)
    else { return nil }
    self.entryCount = entryCount
    self.past = past
    let differs = header.payloadCount != 0 && header.payloadCount != info.actualCount
    codes = differs ? [MMKVFindings.headerDisagrees] : []
  }

  /// Returns whether the fields are those of a store without expiry times.
  ///
  /// A vector means nothing: without a key, an encrypted log does not decode.
  private static func isUsual(_ info: MetaInfo) -> Bool {
    (MetaInfo.Version.actualCount...MetaInfo.Version.flags).contains(info.version)
      && info.flags == 0 && info.confirmedCount <= info.actualCount
  }

  /// Returns whether the checksums of the log and of its last full rewrite match.
  private static func digestsMatch(_ info: MetaInfo, _ data: FileImage) -> Bool {
    let start = DataHeader.byteCount
    let confirmedEnd = start + Int(info.confirmedCount)
    var digest = CRC32()
    digest.update(data.storageSpan, in: start..<confirmedEnd)
    guard digest.value == info.confirmedDigest else { return false }
    digest.update(data.storageSpan, in: confirmedEnd..<start + Int(info.actualCount))
    return digest.value == info.digest
  }

  /// Returns the number of live entries in `log`, and of other records; `nil` if a byte of it is not
  /// in a record, or if there is something to note about a record.
  private static func counts(
    in log: Range<Int>, of data: FileImage
  ) -> (entryCount: Int, past: PastRecords)? {
    guard let shapes = shapes(in: log, of: data) else { return nil }
    // The position in `shapes`, plus one, of the newest record of each key, after half of the key's
    // hash, so that few keys are compared; 0 in unused slots.
    var slots = [UInt64](
      repeating: 0, count: 1 << (Int.bitWidth - shapes.count.leadingZeroBitCount + 1))
    let bytes = data.storageSpan
    var past = PastRecords()
    for (position, shape) in shapes.enumerated() {
      let hash = bytes.hash(in: shape.key, seed: seed)
      var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
      while slots[slot] != 0,
        (slots[slot] ^ hash) >> 32 != 0
          || !bytes.isEqual(shapes[Self.position(slots[slot])].key, shape.key)
      {
        slot = (slot + 1) & (slots.count - 1)
      }
      let earlier = slots[slot] == 0 ? nil : shapes[Self.position(slots[slot])]
      let isEarlierLive = earlier?.value.isEmpty == false
      if shape.value.isEmpty {
        past.removed += isEarlierLive ? 2 : 1
      } else if isEarlierLive {
        past.superseded += 1
      }
      slots[slot] = (hash & ~0xffff_ffff) | UInt64(position + 1)
    }
    var (entryCount, liveCount) = (0, 0)
    for slot in slots where slot != 0 {
      let newest = shapes[position(slot)]
      guard !newest.value.isEmpty else { continue }
      entryCount += 1
      liveCount += newest.range.count
    }
    return log.count < bloatCount || liveCount * 2 >= log.count
      ? (entryCount, past) : nil
  }

  /// Returns the position that a used slot has.
  private static func position(_ slot: UInt64) -> Int { Int(slot & 0xffff_ffff) - 1 }

  /// Returns the records in `log`; `nil` if they do not fill it, the engine does not read one of
  /// them, or they do not show that they are those of a store without a key and without expiry
  /// times.
  private static func shapes(in log: Range<Int>, of data: FileImage) -> [RecordShape]? {
    var cursor = ByteCursor(data.storageSpan, in: log)
    guard (try? cursor.readVarint()) != nil else { return nil }
    var shapes: [RecordShape] = []
    var forms = ExpiryForm.Count()
    while !cursor.isAtEnd {
      guard case .success(let shape) = RecordShape.read(&cursor), !shape.key.isEmpty,
        shape.isReadByEngine(isEncrypted: false)
      else { return nil }
      if shapes.count < ExpiryForm.recordLimit {
        forms.add(data.storageSpan.extracting(shape.value))
      }
      shapes.append(shape)
    }
    guard let first = shapes.first, KeyFit.isEntry(first, in: data),
      ExpiryForm.contradiction(of: false, by: forms) == .none
    else { return nil }
    return shapes
  }
}
