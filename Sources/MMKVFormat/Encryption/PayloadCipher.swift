import KVBytes
import KVCryptography

/// The cipher over a store's payload: one continuous stream from the payload's first byte.
///
/// The header before it is not encrypted. Encryption does not change offsets. Decrypting a block
/// needs only the ciphertext of the block before, so bytes after the log decrypt as well.
///
/// Reference: `Docs/FORMAT-MMKV.md` § Encryption.
struct PayloadCipher: Sendable {
  let key: MMKVKey
  let vector: [UInt8]

  /// Creates the cipher of a store with these meta fields.
  init(_ key: MMKVKey, _ meta: MetaInfo) {
    self.key = key
    vector = meta.effectiveVersion >= MetaInfo.Version.vector ? meta.vector : key.impliedVector
  }

  /// Creates a cipher with the given vector.
  init(_ key: MMKVKey, vector: [UInt8]) {
    self.key = key
    self.vector = vector
  }

  /// Returns `image` with everything after the header decrypted; `nil` in a build without ciphers.
  func decrypting(_ image: FileImage) -> FileImage? {
    guard image.count > DataHeader.byteCount else { return image }
    return Cryptography.decryptCFB(
      image.bytes, after: DataHeader.byteCount, key: key.padded, iv: vector
    ).map { FileImage($0) }
  }

  /// Returns the bytes of `image` at `range`, decrypted as if the blocks of the payload began `shift`
  /// bytes later; `nil` in a build without ciphers.
  ///
  /// - Precondition: At least one such block comes before `range`.
  func decrypting(_ range: Range<Int>, of image: FileImage, shiftedBy shift: Int) -> [UInt8]? {
    let extra = (range.lowerBound - DataHeader.byteCount - shift) % Cryptography.blockCount
    let start = range.lowerBound - extra
    let before = image.bytes(in: start - Cryptography.blockCount..<start)
    return Cryptography.decryptCFB(
      image.bytes(in: start..<range.upperBound), key: key.padded, iv: before
    ).map { Array($0.dropFirst(extra)) }
  }

  /// Returns `payload` encrypted; `nil` in a build without ciphers.
  func encrypting(_ payload: [UInt8]) -> [UInt8]? {
    Cryptography.encryptCFB(payload, key: key.padded, iv: vector)
  }
}
