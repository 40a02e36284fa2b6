import KVBytes
import KVCryptography

/// The cipher over a store's payload: one continuous stream from the payload's first byte.
///
/// The header before it is clear. Offsets are the same with and without the cipher. Decryption
/// needs only the ciphertext of the block before, so bytes after the log decrypt as well.
///
/// Reference: `Docs/FORMAT-MMKV.md` § Encryption.
struct PayloadCipher: Sendable {
  let key: MMKVKey
  let vector: [UInt8]

  /// The cipher of a store with these fields.
  init(_ key: MMKVKey, _ meta: MetaInfo) {
    self.key = key
    vector = meta.effectiveVersion >= MetaInfo.Version.vector ? meta.vector : key.impliedVector
  }

  /// The cipher with a vector of its own, for writing.
  init(_ key: MMKVKey, vector: [UInt8]) {
    self.key = key
    self.vector = vector
  }

  /// `image` with everything after the header decrypted; `nil` in a build without ciphers.
  func decrypting(_ image: FileImage) -> FileImage? {
    guard image.count > DataHeader.byteCount else { return image }
    return Cryptography.decryptCFB(
      image.bytes, after: DataHeader.byteCount, key: key.padded, iv: vector
    ).map { FileImage($0) }
  }

  /// `payload` encrypted; `nil` in a build without ciphers.
  func encrypting(_ payload: [UInt8]) -> [UInt8]? {
    Cryptography.encryptCFB(payload, key: key.padded, iv: vector)
  }
}
