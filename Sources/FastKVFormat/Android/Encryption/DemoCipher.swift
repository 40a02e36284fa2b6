import KVCryptography

/// The cipher of FastKV's demo app (`AESCipher` and `NumberCipher`).
///
/// Bytes: a random word of 4 bytes, then AES-128-CBC with PKCS #7 padding under the first 16 bytes of
/// the key; the vector is the word, exclusive-or a mask, and twelve zeros. The mask is the first 4
/// bytes of the key's SHA-256, read big-endian. Numbers: see ``NumberPermutation``.
///
/// Reference: `Docs/FORMAT-FASTKV-ANDROID.md` § Encryption.
package struct DemoCipher: FastKVCipher {
  /// How many bytes of a ciphertext the random word takes.
  package static let saltCount = 4

  private let key: [UInt8]
  private let mask: [UInt8]
  private let numbers: NumberPermutation

  /// The cipher under `key`; `nil` in a build without ciphers.
  package init?(key: [UInt8]) {
    guard let digest = Cryptography.sha256(key) else { return nil }
    self.key = Array((key + [UInt8](repeating: 0, count: 16)).prefix(16))
    mask = Array(digest.prefix(DemoCipher.saltCount).reversed())
    numbers = NumberPermutation(roundKeys: digest)
  }

  /// The plaintext of `ciphertext`; `nil` where it has no whole blocks or its padding is wrong.
  package func decrypt(_ ciphertext: [UInt8]) -> [UInt8]? {
    guard isPossible(ciphertextCount: ciphertext.count) else { return nil }
    return Cryptography.decryptCBC(
      Array(ciphertext.dropFirst(DemoCipher.saltCount)), key: key,
      iv: vector(ciphertext.prefix(DemoCipher.saltCount)))
  }

  /// The ciphertext of `plaintext`, under a random word.
  package func encrypt(_ plaintext: [UInt8]) -> [UInt8]? {
    encrypt(plaintext, salt: (0..<DemoCipher.saltCount).map { _ in UInt8.random(in: 0 ... .max) })
  }

  /// The ciphertext of `plaintext` under the word `salt`.
  package func encrypt(_ plaintext: [UInt8], salt: [UInt8]) -> [UInt8]? {
    Cryptography.encryptCBC(plaintext, key: key, iv: vector(salt[...])).map { salt + $0 }
  }

  /// The plaintext of a number of 4 or 8 bytes.
  package func decryptNumber(_ ciphertext: [UInt8]) -> [UInt8] { numbers.inverse(ciphertext) }

  /// The ciphertext of a number of 4 or 8 bytes.
  package func encryptNumber(_ plaintext: [UInt8]) -> [UInt8] { numbers.forward(plaintext) }

  /// Whether `count` is a word and at least one block.
  package func isPossible(ciphertextCount count: Int) -> Bool {
    count >= DemoCipher.saltCount + Cryptography.blockCount
      && (count - DemoCipher.saltCount) % Cryptography.blockCount == 0
  }

  private func vector(_ salt: some Collection<UInt8>) -> [UInt8] {
    zip(salt, mask).map { $0 ^ $1 } + [UInt8](repeating: 0, count: 12)
  }
}
