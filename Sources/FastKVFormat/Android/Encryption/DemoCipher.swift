import KVCryptography

/// The cipher of FastKV's demo app (`AESCipher` and `NumberCipher`).
///
/// Bytes: a random salt of 4 bytes, then AES-128-CBC with PKCS #7 padding under the first 16 bytes
/// of the key. The initialization vector is the salt XOR a mask, followed by twelve zeros. The mask
/// is the first 4 bytes of the key's SHA-256, read big-endian. Numbers: see ``NumberPermutation``.
///
/// Reference: `Docs/FORMAT-FASTKV-ANDROID.md` § Encryption.
package struct DemoCipher: Sendable {
  /// The number of bytes that the random salt takes at the front of a ciphertext.
  package static let saltCount = 4

  private let key: [UInt8]
  private let mask: [UInt8]
  private let numbers: NumberPermutation

  /// Creates the cipher under `key`; `nil` in a build without ciphers.
  package init?(key: [UInt8]) {
    guard let digest = Cryptography.sha256(key) else { return nil }
    self.key = Array((key + [UInt8](repeating: 0, count: 16)).prefix(16))
    mask = Array(digest.prefix(DemoCipher.saltCount).reversed())
    numbers = NumberPermutation(roundKeys: digest)
  }

  /// Returns the plaintext of `ciphertext`; `nil` if it is not whole blocks or its padding is
  /// wrong.
  package func decrypt(_ ciphertext: [UInt8]) -> [UInt8]? {
    guard isPossible(ciphertextCount: ciphertext.count) else { return nil }
    return Cryptography.decryptCBC(
      Array(ciphertext.dropFirst(DemoCipher.saltCount)), key: key,
      iv: vector(ciphertext.prefix(DemoCipher.saltCount)))
  }

  /// Returns the ciphertext of `plaintext` under a random salt.
  package func encrypt(_ plaintext: [UInt8]) -> [UInt8]? {
    encrypt(plaintext, salt: (0..<DemoCipher.saltCount).map { _ in UInt8.random(in: 0 ... .max) })
  }

  /// Returns the ciphertext of `plaintext` under a salt made from it, the key and `name`.
  package func encrypt(_ plaintext: [UInt8], of name: [UInt8]) -> [UInt8]? {
    // The count of the name comes first, so that no other name and plaintext are the same bytes.
    let source = Array("kvfsck salt \(name.count) ".utf8) + name + key + plaintext
    return Cryptography.sha256(source)
      .flatMap { encrypt(plaintext, salt: Array($0.prefix(DemoCipher.saltCount))) }
  }

  /// Returns the ciphertext of `plaintext` under `salt`.
  package func encrypt(_ plaintext: [UInt8], salt: [UInt8]) -> [UInt8]? {
    Cryptography.encryptCBC(plaintext, key: key, iv: vector(salt[...])).map { salt + $0 }
  }

  /// Returns the plaintext of a number of 4 or 8 bytes.
  package func decryptNumber(_ ciphertext: [UInt8]) -> [UInt8] { numbers.inverse(ciphertext) }

  /// Returns the ciphertext of a number of 4 or 8 bytes.
  package func encryptNumber(_ plaintext: [UInt8]) -> [UInt8] { numbers.forward(plaintext) }

  /// Returns whether `count` is that of a salt and at least one whole block.
  package func isPossible(ciphertextCount count: Int) -> Bool {
    count >= DemoCipher.saltCount + Cryptography.blockCount
      && (count - DemoCipher.saltCount) % Cryptography.blockCount == 0
  }

  private func vector(_ salt: some Collection<UInt8>) -> [UInt8] {
    zip(salt, mask).map { $0 ^ $1 } + [UInt8](repeating: 0, count: 12)
  }
}
