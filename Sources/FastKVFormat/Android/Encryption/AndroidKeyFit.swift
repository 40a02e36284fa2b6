import KVBytes
import KVCryptography
import KVModel

/// Whether the records can be read with the key that was given.
struct AndroidKeyFit {
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
    var decoded = 0
    var others = 0
    let judge = RecordJudge(copy: copy.decoded)
    let image = copy.decoded.stored
    let gaps = AndroidGrammar(
      image, copy.file.role, AndroidPlausibility(image, encryptedBy: nil)
    ).gaps(in: copy.area.range)
    for shape in AndroidShapes(image, in: copy.area.range, around: gaps) {
      if case .broken = judge.verdict(on: shape) { others += 1 } else { decoded += 1 }
    }
    if decoded > 0 || others == 0 { return .readable }
    return .unreadable(
      code: AndroidFindings.wrongKey,
      reason: "the key is wrong, or the app has another cipher than FastKV's demo: the chain of "
        + "records is there, and none of its keys can be decrypted")
  }
}
