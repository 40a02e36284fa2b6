import KVBytes
import KVCryptography
import KVModel

/// A test, based on the bytes, of whether the records can be read with the given key.
///
/// Nothing in the files says that a store is encrypted, or how: the checksum covers the ciphertext
/// and matches with any key. So the test is whether decryption yields records: a log that decodes
/// as a whole, or a chain of plausible records.
struct KeyFit {
  /// The number of consecutive plausible records that is not a coincidence.
  private static let chainCount = 3
  /// The number of bytes of text that make a name and are not a coincidence.
  private static let nameCount = 4
  /// The number of bytes of text that make a name at any of the offsets after the first block.
  private static let longNameCount = 8
  /// The number of those offsets.
  private static let afterBlockLimit = 128
  /// The number of zeros that a value may well end in, such as those of a number.
  private static let zeroCount = 8
  /// The number of bytes that are searched for a chain.
  private static let searchLimit = 1 << 20

  private let stored: FileImage
  private let plain: FileImage
  private let meta: MetaInfo
  private let header: DataHeader
  private let metaCount: Int
  private let dataCount: Int
  private let lengthClaim: LengthClaim?
  /// The logs with records over which a checksum matches, by other fields than the first.
  private let otherLogs: [Extent]
  private let key: MMKVKey?
  /// Returns whether the key is right and the vector damaged; asked only if nothing else decodes.
  private let hasOtherVector: () -> Bool

  /// Creates a test of the key of `view`.
  init(_ view: MMKVView) {
    stored = view.stored
    plain = view.plain
    meta = view.meta
    header = view.header
    metaCount = view.metaCount
    dataCount = view.dataCount
    lengthClaim = view.lengthClaims.first
    otherLogs = view.lengthClaims.dropFirst()
      .filter { $0.isVerified && $0.count > NoiseOdds.emptyCount }.compactMap(\.log)
    key = view.key
    hasOtherVector = { view.isReadableWithOtherVector }
  }

  /// The result of the test.
  var access: Access {
    if key != nil, !Cryptography.isAvailable {
      return .unreadable(
        code: MMKVFindings.noCipher,
        reason: "this build has no ciphers; build kvfsck with the trait Encryption to use a key")
    }
    guard let key else {
      return isReadable(stored, isPlain: true) && !isCiphertext ? .readable : withoutKey
    }
    return emptyLog ?? access(by: key)
  }

  /// The result for a store that holds nothing by which a key could be judged; `nil` for others.
  private var emptyLog: Access? {
    // Zeros fit any key, and there is nothing to open.
    if stored.isZero(in: min(DataHeader.byteCount, dataCount)..<dataCount) { return .readable }
    guard let leftovers = leftoversOfEmptyLog else { return nil }
    guard leftovers.decode == .asStored else { return .readable }
    return .unreadable(
      code: MMKVFindings.keyNotNeeded,
      reason: "the log is empty and fits any key, but the leftover records after it decode only "
        + "without this key. Omit the key")
  }

  /// The result of the test of `key` on a store that holds records.
  private func access(by key: MMKVKey) -> Access {
    if isReadable(plain, isPlain: false) || hasOtherVector() { return .readable }
    if isReadable(stored, isPlain: true), !isCiphertext {
      return .unreadable(
        code: MMKVFindings.keyNotNeeded,
        reason: "the store is not encrypted: its records decode only without the key. "
          + "Omit the key")
    }
    let other = key.forOtherSize
    if fits(other) {
      return .unreadable(
        code: MMKVFindings.cipherMismatch,
        reason: "the key fits \(other.cipherName), not \(key.cipherName)")
    }
    if let form = otherForm(of: key) {
      return .unreadable(code: MMKVFindings.wrongKey, reason: "the key fits \(form)")
    }
    if let log = lengthClaim?.log, lengthClaim?.isVerified ?? false,
      let odds = NoiseOdds(of: log.range, in: plain, by: meta.writer)
    {
      return .unreadable(
        code: MMKVFindings.keyUndetermined,
        reason:
          "the log decodes with this key, but \(log.count.grouped) random bytes also do so too often to "
          + "tell (\(Int(max(0, odds.bits))) bits of evidence; \(Int(NoiseOdds.leastBits)) are "
          + "needed): the key may be right or wrong. Try it on another store of the same app")
    }
    return wrongKey
  }

  /// Returns how else the user must have meant `key`, in words, if the log decodes then; `nil` if it
  /// does not.
  ///
  /// Apps often make a key as hexadecimal digits and pass their text, of which the engine uses the
  /// first bytes. Or the digits were copied from where the key is shown.
  private func otherForm(of key: MMKVKey) -> String? {
    let digits = Hexadecimal.text(key.bytes)
    var forms: [(bytes: [UInt8], words: String)] = [
      (Array(digits.utf8), "as the text of its hexadecimal digits"),
      (Array(digits.uppercased().utf8), "as the text of its hexadecimal digits in capital letters"),
    ]
    if let bytes = String(utf8: key.bytes).flatMap(Hexadecimal.writtenBytes), !bytes.isEmpty {
      forms.append((bytes, "as the bytes that its hexadecimal digits stand for"))
    }
    for form in forms {
      for isAES256 in [key.isAES256, !key.isAES256] {
        let other = MMKVKey(form.bytes, isAES256: isAES256)
        guard other != key, fits(other) else { continue }
        return form.words + (isAES256 == key.isAES256 ? "" : ", for \(other.cipherName)")
      }
    }
    return nil
  }

  /// Returns whether records come out if `other` is the key.
  private func fits(_ other: MMKVKey) -> Bool {
    PayloadCipher(other, meta).decrypting(stored).map { isReadable($0, isPlain: false) } ?? false
  }

  private var wrongKey: Access {
    .unreadable(
      code: MMKVFindings.wrongKey,
      reason: (lengthClaim?.isVerified ?? false
        ? "the key is wrong: the log's checksum matches, but no record decodes "
          + "with this key or without it. Ask the app's authors for the right one"
        : "no record decodes with this key or without it: the key is wrong, or the encrypted "
          + "data is destroyed"
          + (metaCount > 0
            ? "" : ", or the vector for decryption is, which the missing meta file had"))
        + (key?.bytes.last == UInt8(ascii: "\n")
          ? ". The key ends in a line feed, which is part of the key; is that intended?" : ""))
  }

  private var withoutKey: Access {
    let foreign = ForeignFile.name(
      of: FileImage(stored.bytes(in: 0..<min(stored.count, dataCount))))
    if lengthClaim?.isVerified ?? false {
      return .unreadable(
        code: MMKVFindings.keyNeeded,
        reason: "the log's checksum matches, but no record decodes: the store is encrypted"
          + (isReadable(stored, isPlain: true)
            ? ". Unencrypted records follow the log: earlier contents of the store" : ""))
    }
    if metaCount >= MetaInfo.Field.version.upperBound, !meta.isBlank,
      meta.version < MetaInfo.Version.suspicious
    {
      // A normal meta file is present; the whole content of the log may have been lost.
      let log = DataHeader.byteCount..<max(DataHeader.byteCount, dataCount)
      if log.count < 64 || stored.isZero(in: log) { return .readable }
      return .unreadable(
        code: MMKVFindings.nothingDecodes,
        reason: "no record decodes: the store is encrypted and needs its key, or the data "
          + "file does not belong to the meta file"
          + (foreign.map { " (it looks like \($0))" } ?? ""))
    }
    return .unreadable(
      code: MMKVFindings.notAStore,
      reason: "this is not an MMKV store\(foreign.map { ", but \($0)" } ?? ""): "
        + "no size field leads to a log with a matching checksum, and no chain of records was found"
    )
  }

  /// The bytes left after an empty log, which alone show whether a key is right.
  struct Leftovers {
    /// How records come out of the bytes.
    enum Decoding { case asStored, decrypted, neither }

    /// The bytes up to the last that is not zero.
    let range: Range<Int>
    let decode: Decoding
  }

  /// The bytes after an empty log whose checksum matches; `nil` if the log holds records, or if only
  /// zeros follow it.
  var leftoversOfEmptyLog: Leftovers? {
    guard let claim = lengthClaim, claim.isVerified, let log = claim.log,
      log.count <= NoiseOdds.emptyCount
    else { return nil }
    let slack = min(max(log.end, DataHeader.byteCount), dataCount)..<dataCount
    guard let last = stored.lastNonzero(in: slack) else { return nil }
    let range = slack.lowerBound..<last + 1
    let searched = range.clamped(to: 0..<KeyFit.searchLimit)
    if key != nil, hasChain(plain, searched) { return Leftovers(range: range, decode: .decrypted) }
    return Leftovers(range: range, decode: hasChain(stored, searched) ? .asStored : .neither)
  }

  /// Whether the checksum matches and nothing in the log decodes: plaintext records after it were
  /// written before the app turned on encryption.
  private var isCiphertext: Bool {
    // The cheapest question first: the log of nearly every store begins with an entry.
    guard let claim = lengthClaim, claim.isVerified, let log = claim.log,
      log.count > NoiseOdds.emptyCount, !beginsWithEntry(stored),
      NoiseOdds(of: log.range, in: stored, by: .any) == nil
    else { return false }
    return !hasChain(
      stored, log.range.lowerBound..<min(log.range.upperBound, KeyFit.searchLimit))
  }

  /// Returns whether `image` yields records.
  private func isReadable(_ image: FileImage, isPlain: Bool) -> Bool {
    guard dataCount > DataHeader.byteCount else { return !meta.isBlank }
    let logs = (lengthClaim?.log.map { [$0] } ?? []) + otherLogs
    if logs.contains(where: { isLikelyLog(image, $0.range, isPlain) }) { return true }
    if !isPlain, let claim = lengthClaim, claim.isVerified, let log = claim.log,
      FirstBlock.rest(of: log.range, in: image, by: meta.writer) != nil
    {
      return true
    }
    // With the right key, a log whose checksum matches decodes to its end: if it begins with an
    // entry but does not go on, that is a coincidence.
    if isPlain || lengthClaim?.isVerified != true, beginsWithEntry(image) { return true }
    if !isPlain, lengthClaim?.isVerified != true, hasEntryAfterFirstBlock(image) { return true }
    // Zeros that were never written to decrypt to noise, which would drown a short log.
    let start = DataHeader.byteCount
    let end = stored.lastNonzero(in: start..<dataCount).map { $0 + 1 } ?? start
    return hasChain(image, start..<min(end, KeyFit.searchLimit))
  }

  /// Returns whether plausible records follow one another somewhere in `range` of `image`.
  private func hasChain(_ image: FileImage, _ range: Range<Int>) -> Bool {
    isChain(image, range, around: [])
      || isChain(image, range, around: Resynchronizer(image, expiry: .unknown).gaps(in: range))
  }

  private func isChain(_ image: FileImage, _ range: Range<Int>, around gaps: [Gap]) -> Bool {
    // In other bytes, two records whose keys are names are as rare as three with any text key.
    [(KeyFit.chainCount, 0), (2, KeyFit.nameCount)].contains { count, keyCount in
      PlausibleChain(in: image, range, around: gaps, enough: count, keyCount: keyCount).count
        >= count
    }
  }

  /// Returns whether the log is more likely a log than noise.
  private func isLikelyLog(_ image: FileImage, _ log: Range<Int>, _ isPlain: Bool) -> Bool {
    // With any key, it holds no record.
    if log.count <= NoiseOdds.emptyCount { return lengthClaim?.isVerified ?? false }
    // A repair keeps implausible records. More than one of them is not a coincidence.
    if isPlain, NoiseOdds.hasSeveralRecords(log, in: image) { return true }
    guard let odds = NoiseOdds(of: log, in: image, by: isPlain ? .any : meta.writer) else {
      return false
    }
    return odds.bits >= (isPlain ? NoiseOdds.leastPlainBits : NoiseOdds.leastBits)
  }

  /// Returns whether the first record has a name as its key; in other bytes, one in 100,000 does.
  private func beginsWithEntry(_ image: FileImage) -> Bool {
    let start = DataHeader.byteCount
    // The prefix may be torn; all current engines write four bytes.
    return [start, start + DataHeader.prefixCount].contains { offset in
      offset < dataCount && isEntry(in: image, offset..<dataCount)
    }
  }

  /// Returns whether a record with a long name as its key begins soon after the first block.
  ///
  /// If the vector in the meta file is that of another moment, the first block decrypts to noise, and
  /// the records in it are lost. A log of two entries then has one that can be read. In other bytes,
  /// one in 100,000 has such a record.
  private func hasEntryAfterFirstBlock(_ image: FileImage) -> Bool {
    let start = DataHeader.byteCount + Cryptography.blockCount
    let last = stored.lastNonzero(in: min(start, dataCount)..<dataCount) ?? 0
    // The last bytes of a log can be zeros when they are encrypted.
    let end = min(dataCount, max(last + 1, lengthClaim?.log?.end ?? 0))
    return (start..<max(start, min(last, start + Self.afterBlockLimit))).contains { offset in
      var cursor = ByteCursor(image.storageSpan, in: offset..<end)
      guard case .success(let shape) = RecordShape.read(&cursor) else { return false }
      return shape.key.count >= Self.longNameCount && !shape.value.isEmpty
        && Self.isEntry(shape, in: image)
    }
  }

  /// Whether a data file without a meta file is a store, rather than a file in which some bytes
  /// decode as records.
  ///
  /// Records that a search finds prove nothing, because most large files have some. In a store, they
  /// are most of what is not zero. Two things are evidence against a store: a length that is not
  /// whole pages, as engines make them, and a header that claims more bytes than there are. A store
  /// that was cut has both, and its log begins where it always does.
  var isMostlyRecords: Bool {
    let start = DataHeader.byteCount
    guard dataCount > start, let last = stored.lastNonzero(in: start..<dataCount) else {
      return false
    }
    let isUsual =
      dataCount.isMultiple(of: PageSize(metaCount: 0).count)
      && Int(header.payloadCount) <= dataCount - start
    if isUsual, hasLongPrefix, isEntry(in: plain, start + DataHeader.prefixCount..<dataCount) {
      return true
    }
    // The stated length may be outdated, and older contents may follow the log. The last value may
    // end in zeros.
    let ends = [min(dataCount, last + 1 + Self.zeroCount), lengthClaim?.log?.range.upperBound ?? 0]
    // With a short prefix, one record is no more than a name and a few bytes.
    let least = hasLongPrefix ? 1 : 2
    return ends.contains { end in
      let share = RecordShare(in: plain, start..<min(max(start, end), KeyFit.searchLimit))
      let isLog = share.isFromStart && share.count >= KeyFit.chainCount
      guard isUsual else { return isLog && share.fifths >= 3 }
      return isLog && share.fifths >= 2
        || share.fifths >= 3 && share.count >= (share.isFromStart ? least : KeyFit.chainCount)
    }
  }

  /// Whether the log begins with a varint of four bytes, as current engines write it.
  private var hasLongPrefix: Bool {
    let prefix = DataHeader.byteCount..<DataHeader.byteCount + DataHeader.prefixCount
    guard prefix.upperBound < dataCount else { return false }
    return plain.bytes(in: prefix).map { $0 >= 0x80 } == [true, true, true, false]
  }

  private func isEntry(in image: FileImage, _ range: Range<Int>) -> Bool {
    let records = MMKVRecords(image, in: range, mode: .plain, isEncrypted: false)
    for case .record(let record) in records.prefix(2) where record.key.count >= Self.nameCount {
      return Self.isEntry(record.shape, in: image)
    }
    return false
  }

  /// Returns whether the key of `record` is a name, and an app could well have written it.
  static func isEntry(_ record: RecordShape, in image: FileImage) -> Bool {
    record.key.count >= nameCount
      && Plausibility(expiry: .unknown, expectsTextKeys: true).accepts(record, in: image)
  }
}

/// How much of a part of a file is plausible records.
private struct RecordShare {
  /// The number of plausible records with a value.
  private(set) var count = 0
  /// Whether the first bytes after the prefix of a log are such a record.
  private(set) var isFromStart = true
  private var recordBytes = 0
  private var otherBytes = 0
  /// The number of zeros that are a hole and not content.
  private static let shortestHole = 16

  /// The share of the records in all that is not zero, in fifths.
  var fifths: Int { recordBytes * 5 / max(1, recordBytes + otherBytes) }

  /// Reads the records in `range` of `image`, and those after each damaged place.
  init(in image: FileImage, _ range: Range<Int>) {
    let plausibility = Plausibility(expiry: .unknown, expectsTextKeys: true)
    let gaps = Resynchronizer(image, expiry: .unknown).gaps(in: range)
    for event in MMKVRecords(image, in: range, mode: .plain, isEncrypted: false, gaps: gaps) {
      switch event {
      case .filler: continue
      case .record(let record) where plausibility.accepts(record, in: image):
        count += record.operation == .put ? 1 : 0
        recordBytes += record.extent.count
      case .record, .gap:
        isFromStart = isFromStart && count > 0
        otherBytes += Self.writtenCount(image, event.extent.range)
      }
    }
  }

  /// Returns the number of bytes in `range` that are not in a run of zeros, as a lost page is.
  private static func writtenCount(_ image: FileImage, _ range: Range<Int>) -> Int {
    var (count, zeros) = (0, 0)
    for byte in image.bytes(in: range) {
      zeros = byte == 0 ? zeros + 1 : 0
      count += zeros < shortestHole ? 1 : 0
    }
    return count
  }
}

extension Plausibility {
  /// Returns whether an app could well have written `record`.
  func accepts(_ record: Record, in image: FileImage) -> Bool {
    accepts(record.shape, in: image)
  }
}

extension Record {
  /// The parts of the record, which is one of MMKV.
  fileprivate var shape: RecordShape {
    RecordShape(range: extent.range, key: key, value: value)
  }
}
