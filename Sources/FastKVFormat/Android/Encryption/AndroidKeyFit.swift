import KVBytes
import KVCryptography
import KVModel

/// Determines whether the records can be read with the given key.
struct AndroidKeyFit {
  /// In random bytes, about one offset in this many starts something that could be a record.
  private static let offsetsPerRecord = 300
  /// A run of records is no evidence if random bytes contain it more often than once in this many
  /// stores.
  private static let storesPerRun = 100_000

  let copy: AndroidCopy?
  let cipher: DemoCipher?

  /// Whether the records can be read, and if not, why.
  var access: Access {
    guard let copy, copy.decoded.isEncrypted else { return .readable }
    if cipher == nil {
      return .unreadable(
        code: AndroidFindings.keyNeeded,
        reason: Cryptography.isAvailable
          ? "the store is encrypted, according to bit 30 of the length or the records"
          : "the store is encrypted, but this build has no ciphers; build kvfsck with the trait "
            + "Encryption")
    }
    // A verified log is tested alone: what follows it need not start with a record.
    guard let part = copy.decoded.parts.first else { return .readable }
    var isAny = false
    for shape in AndroidShapes(copy.decoded.stored, in: part) {
      if isDecrypted(shape, in: copy.decoded) { return .readable }
      isAny = isAny || shape.range.lowerBound == part.lowerBound && couldBeEncrypted(shape, copy)
    }
    guard let run = longestRun(in: part, of: copy) else { return .readable }
    guard isAny || isEvidence(run, in: part) else { return .readable }
    return .unreadable(
      code: AndroidFindings.wrongKey,
      reason:
        "the key is wrong, or the app uses a different cipher than FastKV's demo: the chain of "
        + "records is intact, but none of its keys can be decrypted")
  }

  /// Returns whether the record's key decrypts to text, and its value to something that its type
  /// can have.
  ///
  /// The verdict on the record is not enough, as the engine never decrypts a deleted record.
  private func isDecrypted(_ shape: AndroidRecordShape, in copy: DecodedCopy) -> Bool {
    guard let key = copy.ranges(of: shape)?.key,
      AndroidText.form(copy.plain.storageSpan, key) != .malformed
    else { return false }
    return RecordJudge(copy: copy).verdict(on: shape) != .broken
  }

  /// Returns whether as many consecutive records are unlikely to be in `part` by chance.
  private func isEvidence(_ run: Int, in part: Range<Int>) -> Bool {
    var expected = Double(part.count) * Double(Self.storesPerRun)
    for _ in 0..<run { expected /= Double(Self.offsetsPerRecord) }
    return expected < 1
  }

  /// Returns the largest number of consecutive records in `part` that could be encrypted, with gaps
  /// skipped; `nil` if any record decrypts.
  ///
  /// The gaps are found without the cipher. With it, records that decrypt by chance would be
  /// accepted where no chain of records leads.
  private func longestRun(in part: Range<Int>, of copy: AndroidCopy) -> Int? {
    let image = copy.decoded.stored
    let grammar = AndroidGrammar(
      image, copy.file.role, AndroidPlausibility(isEncrypted: true, cipher: nil))
    var (longest, run, end) = (0, 0, part.lowerBound)
    for shape in AndroidShapes(image, in: part, around: grammar.gaps(in: part)) {
      if isDecrypted(shape, in: copy.decoded) { return nil }
      if shape.range.lowerBound != end { run = 0 }
      run = couldBeEncrypted(shape, copy) ? run + 1 : 0
      longest = max(longest, run)
      end = shape.range.upperBound
    }
    return longest
  }

  /// Returns whether the key has the length of a ciphertext and is not text.
  ///
  /// Part of the file can be from before the app used a cipher.
  private func couldBeEncrypted(_ shape: AndroidRecordShape, _ copy: AndroidCopy) -> Bool {
    let image = copy.decoded.stored
    return AndroidPlausibility(isEncrypted: true, cipher: nil).hasFitKey(shape, image.storageSpan)
      && AndroidText.form(image.storageSpan, shape.key) != .plain
  }
}
