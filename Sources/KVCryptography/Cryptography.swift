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

/// The ciphers and digests that the formats use, from swift-crypto.
///
/// This is the only file that knows swift-crypto. Built without the trait `Encryption`, every
/// function returns `nil`, and ``isAvailable`` says so.
package enum Cryptography {
  /// How many bytes a block of AES has.
  package static let blockCount = 16

  #if Encryption
    /// Whether this build has ciphers and digests.
    package static let isAvailable = true

    /// Decrypts AES in cipher feedback mode, 128 bits at a time (CFB-128).
    ///
    /// The first `clearCount` bytes are not encrypted, and are returned as they are.
    ///
    /// - Returns: As many bytes as `bytes` has; `nil` when the key has no AES length or the vector is
    ///   not a block long.
    /// - Complexity: O(`bytes.count`).
    package static func decryptCFB(
      _ bytes: [UInt8], after clearCount: Int = 0, key: [UInt8], iv: [UInt8]
    ) -> [UInt8]? {
      let secret = SymmetricKey(data: key)
      // Tells what is wrong with the key or the vector where there is nothing to decrypt.
      guard let vector = try? AES._CFB.IV(ivBytes: iv),
        (try? AES._CFB.decrypt([UInt8](), using: secret, iv: vector)) != nil
      else { return nil }
      return [UInt8](inLargePages: bytes.count, inPiecesOf: pieceCount) { piece in
        // A block is the vector of the one after it: each piece is decrypted by itself, from the start
        // of its first block.
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

    /// How many bytes are decrypted at a time.
    private static let pieceCount = 1 << 16

    /// Encrypts AES in cipher feedback mode; the inverse of ``decryptCFB(_:key:iv:)``.
    package static func encryptCFB(_ plaintext: [UInt8], key: [UInt8], iv: [UInt8]) -> [UInt8]? {
      guard let vector = try? AES._CFB.IV(ivBytes: iv) else { return nil }
      let cipher = try? AES._CFB.encrypt(plaintext, using: SymmetricKey(data: key), iv: vector)
      return cipher.map { [UInt8]($0) }
    }

    /// Decrypts AES in cipher block chaining mode with PKCS #7 padding.
    ///
    /// - Returns: `nil` when the key has no AES length, the vector is not a block long, the
    ///   ciphertext is no whole number of blocks, or the padding is wrong.
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

    /// The SHA-256 of `bytes`, 32 bytes.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8]? { Array(SHA256.hash(data: bytes)) }

    /// The MD5 of `bytes`, 16 bytes: a name, not a proof of anything.
    package static func md5(_ bytes: [UInt8]) -> [UInt8]? { Array(Insecure.MD5.hash(data: bytes)) }
  #else
    /// Whether this build has ciphers and digests.
    package static let isAvailable = false

    /// Answers nothing: this build has no cipher.
    package static func decryptCFB(
      _ bytes: [UInt8], after clearCount: Int = 0, key: [UInt8], iv: [UInt8]
    ) -> [UInt8]? {
      nil
    }

    /// Answers nothing: this build has no cipher.
    package static func encryptCFB(_ plaintext: [UInt8], key: [UInt8], iv: [UInt8]) -> [UInt8]? {
      nil
    }

    /// Answers nothing: this build has no cipher.
    package static func decryptCBC(_ ciphertext: [UInt8], key: [UInt8], iv: [UInt8]) -> [UInt8]? {
      nil
    }

    /// Answers nothing: this build has no cipher.
    package static func encryptCBC(_ plaintext: [UInt8], key: [UInt8], iv: [UInt8]) -> [UInt8]? {
      nil
    }

    /// Answers nothing: this build has no digest.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8]? { nil }

    /// Answers nothing: this build has no digest.
    package static func md5(_ bytes: [UInt8]) -> [UInt8]? { nil }
  #endif
}
