import KVBytes

#if Encryption
  import Crypto
  import CryptoExtras

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif
#endif

/// The ciphers and hash functions that the formats use, from swift-crypto; CFB is decrypted by
/// ``ParallelCFB`` where the processor can.
///
/// Only this file imports swift-crypto. In a build without the trait `Encryption`, every function
/// returns `nil` and ``isAvailable`` is `false`.
package enum Cryptography {
  /// The size of an AES block, in bytes.
  package static let blockCount = 16

  #if Encryption
    /// Whether this build has ciphers and hash functions.
    package static let isAvailable = true

    /// Decrypts AES in 128-bit cipher feedback mode (CFB-128).
    ///
    /// The first `clearCount` bytes are not encrypted, and are returned unchanged.
    ///
    /// - Returns: As many bytes as in `bytes`; `nil` if the key does not have an AES length or the
    ///   vector is not one block long.
    /// - Complexity: O(`bytes.count`).
    package static func decryptCFB(
      _ bytes: [UInt8], after clearCount: Int = 0, key: [UInt8], iv: [UInt8]
    ) -> [UInt8]? {
      let secret = SymmetricKey(data: key)
      // Validates the key and the vector even if there is nothing to decrypt.
      guard let vector = try? AES._CFB.IV(ivBytes: iv),
        (try? AES._CFB.decrypt([UInt8](), using: secret, iv: vector)) != nil
      else { return nil }
      if let plain = ParallelCFB.decrypt(bytes, after: clearCount, key: key, iv: iv) {
        return plain
      }
      return [UInt8](inLargePages: bytes.count, inPiecesOf: pieceCount) { piece in
        // Each block is the vector of the next, so pieces can be decrypted separately, each from
        // the start of its first block.
        let clear = Array(bytes[piece].prefix(max(0, clearCount - piece.lowerBound)))
        let extra = max(0, piece.lowerBound - clearCount) % blockCount
        let start = max(clearCount, piece.lowerBound) - extra
        guard start < piece.upperBound else { return clear }
        let before =
          start == clearCount
          ? vector : try? AES._CFB.IV(ivBytes: bytes[start - blockCount..<start])
        return before.flatMap {
          try? AES._CFB.decrypt(bytes[start..<piece.upperBound], using: secret, iv: $0)
        }.map { clear + $0.dropFirst(extra) }
      }
    }

    /// The number of bytes decrypted at a time.
    ///
    /// The copies of a larger piece would not stay on the heap: the C library returns memory above
    /// 128 KiB to the kernel, and getting it again takes longer than decrypting the piece.
    private static let pieceCount = 1 << 14

    /// Encrypts AES in cipher feedback mode; the inverse of ``decryptCFB(_:after:key:iv:)``.
    package static func encryptCFB(_ plaintext: [UInt8], key: [UInt8], iv: [UInt8]) -> [UInt8]? {
      guard let vector = try? AES._CFB.IV(ivBytes: iv) else { return nil }
      let cipher = try? AES._CFB.encrypt(plaintext, using: SymmetricKey(data: key), iv: vector)
      return cipher.map { [UInt8]($0) }
    }

    /// Decrypts AES in cipher block chaining mode with PKCS #7 padding.
    ///
    /// - Returns: `nil` if the key does not have an AES length, the vector is not one block long,
    ///   the ciphertext is not a whole number of blocks, or the padding is invalid.
    /// - Complexity: O(`ciphertext.count`).
    package static func decryptCBC(_ ciphertext: [UInt8], key: [UInt8], iv: [UInt8]) -> [UInt8]? {
      guard let vector = try? AES._CBC.IV(ivBytes: iv) else { return nil }
      let plain = try? AES._CBC.decrypt(ciphertext, using: SymmetricKey(data: key), iv: vector)
      return plain.map { [UInt8]($0) }
    }

    /// Encrypts AES in cipher block chaining mode; the inverse of ``decryptCBC(_:key:iv:)``.
    package static func encryptCBC(_ plaintext: [UInt8], key: [UInt8], iv: [UInt8]) -> [UInt8]? {
      guard let vector = try? AES._CBC.IV(ivBytes: iv) else { return nil }
      let cipher = try? AES._CBC.encrypt(plaintext, using: SymmetricKey(data: key), iv: vector)
      return cipher.map { [UInt8]($0) }
    }

    /// Returns the HMAC of `bytes` with SHA-256, which has 32 bytes.
    package static func sha256(of bytes: [UInt8], keyed secret: [UInt8]) -> [UInt8]? {
      Array(HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: secret)))
    }

    /// Returns the SHA-256 hash of `bytes`, which has 32 bytes.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8]? { Array(SHA256.hash(data: bytes)) }

    /// Returns the SHA-256 hash of pieces, which `next` returns one by one; the last is empty.
    package static func sha256(of next: () -> [UInt8]) -> [UInt8]? {
      var hash = SHA256()
      while true {
        let piece = next()
        if piece.isEmpty { return Array(hash.finalize()) }
        hash.update(data: piece)
      }
    }

    /// Returns the MD5 hash of `bytes`, which has 16 bytes: for naming, not for security.
    package static func md5(_ bytes: [UInt8]) -> [UInt8]? { Array(Insecure.MD5.hash(data: bytes)) }
  #else
    /// Whether this build has ciphers and hash functions.
    package static let isAvailable = false

    /// Returns `nil`: this build has no ciphers.
    package static func decryptCFB(
      _ bytes: [UInt8], after clearCount: Int = 0, key: [UInt8], iv: [UInt8]
    ) -> [UInt8]? {
      nil
    }

    /// Returns `nil`: this build has no ciphers.
    package static func encryptCFB(_ plaintext: [UInt8], key: [UInt8], iv: [UInt8]) -> [UInt8]? {
      nil
    }

    /// Returns `nil`: this build has no ciphers.
    package static func decryptCBC(_ ciphertext: [UInt8], key: [UInt8], iv: [UInt8]) -> [UInt8]? {
      nil
    }

    /// Returns `nil`: this build has no ciphers.
    package static func encryptCBC(_ plaintext: [UInt8], key: [UInt8], iv: [UInt8]) -> [UInt8]? {
      nil
    }

    /// Returns `nil`: this build has no hash functions.
    package static func sha256(of bytes: [UInt8], keyed secret: [UInt8]) -> [UInt8]? { nil }

    /// Returns `nil`: this build has no hash functions.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8]? { nil }

    /// Returns `nil`: this build has no hash functions.
    package static func sha256(of next: () -> [UInt8]) -> [UInt8]? { nil }

    /// Returns `nil`: this build has no hash functions.
    package static func md5(_ bytes: [UInt8]) -> [UInt8]? { nil }
  #endif
}
