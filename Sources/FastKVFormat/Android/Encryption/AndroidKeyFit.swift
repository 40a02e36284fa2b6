import KVBytes
import KVCryptography
import KVModel

/// Whether the records can be read with the key that was given.
struct AndroidKeyFit {
  /// How many records in a row are not there by chance: of random bytes about one offset in 300 begins what
  /// could be one.
  private static let runCount = 3

  let copy: AndroidCopy?
  let cipher: (any FastKVCipher)?

  /// The verdict.
  var access: Access {
    guard let copy, copy.decoded.isEncrypted else { return .readable }
    if cipher == nil {
      return .unreadable(
        code: AndroidFindings.keyNeeded,
        reason: Cryptography.isAvailable
          ? "the store is encrypted: bit 30 of the length or the records say so"
          : "the store is encrypted, and this build has no ciphers; build kvfsck with the trait "
            + "Encryption")
    }
    // The log where it is verified, for it speaks for itself; what is after it need not begin with a record.
    guard let part = copy.decoded.parts.first else { return .readable }
    var isAny = false
    for shape in AndroidShapes(copy.decoded.stored, in: part) {
      if isDecrypted(shape, in: copy.decoded) { return .readable }
      isAny = isAny || shape.range.lowerBound == part.lowerBound && couldBeEncrypted(shape, copy)
    }
    guard let run = longestRun(in: part, of: copy) else { return .readable }
    guard isAny || run >= Self.runCount else { return .readable }
    return .unreadable(
      code: AndroidFindings.wrongKey,
      reason: "the key is wrong, or the app has another cipher than FastKV's demo: the chain of "
        + "records is there, and none of its keys can be decrypted")
  }

  /// Whether the key makes text of the record's own key, and of its value what its type can have.
  ///
  /// The engine never decrypts a record that is struck, so its judgement does not say this.
  private func isDecrypted(_ shape: AndroidRecordShape, in copy: DecodedCopy) -> Bool {
    guard let key = copy.ranges(of: shape)?.key,
      AndroidText.form(copy.plain.storageSpan, key) != .malformed
    else { return false }
    return RecordJudge(copy: copy).verdict(on: shape) != .broken
  }

  /// How many records of `part` in a row could be encrypted where the reading goes on after damage; `nil`
  /// where one of them can be decrypted.
  ///
  /// The gaps are found without the cipher, which would take records by chance where none is chained to.
  private func longestRun(in part: Range<Int>, of copy: AndroidCopy) -> Int? {
    let image = copy.decoded.stored
    let grammar = AndroidGrammar(
      image, copy.file.role, AndroidPlausibility(image, encryptedBy: nil))
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

  /// Whether the key has the length of a ciphertext, and is not text: a part of the file can be of the
  /// time before the app took a cipher.
  private func couldBeEncrypted(_ shape: AndroidRecordShape, _ copy: AndroidCopy) -> Bool {
    let image = copy.decoded.stored
    return AndroidPlausibility(image, encryptedBy: nil).hasFitKey(shape)
      && AndroidText.form(image.storageSpan, shape.key) != .plain
  }
}
