import CCipher

/// One message in AES-CFB, of which small parts are decrypted with many keys.
///
/// Nothing is allocated for a key, which takes longer than AES.
package struct CFBTrial {
  /// The number of bytes that are decrypted at a time.
  package static let partCount = 128

  private let cipher: [UInt8]
  private let isParallel: Bool
  /// The key, of 16 or 32 bytes.
  package var key: [UInt8]
  /// The vector; `nil` for the start of the key.
  private let vector: [UInt8]?
  /// The bytes that were decrypted last.
  package private(set) var clear = [UInt8](repeating: 0, count: partCount)

  /// Creates trials of keys of `keyCount` bytes.
  ///
  /// - Precondition: The vector has 16 bytes, and `keyCount` is 16 or 32.
  package init(_ cipher: [UInt8], keyCount: Int, vector: [UInt8]?) {
    precondition([16, 32].contains(keyCount) && vector?.count ?? 16 == Cryptography.blockCount)
    self.cipher = cipher
    self.vector = vector
    key = [UInt8](repeating: 0, count: keyCount)
    isParallel = kvfsck_cfb_decrypts(keyCount)
  }

  /// Decrypts a part that begins at `start`, a multiple of 16, into ``clear``.
  ///
  /// - Precondition: `start` lies within the message.
  package mutating func decrypt(from start: Int) {
    let end = min(start + Self.partCount, cipher.count)
    precondition(start.isMultiple(of: Cryptography.blockCount) && start >= 0 && start <= end)
    if isParallel {
      unsafe kvfsck_cfb_decrypt(key, key.count, vector ?? key, cipher, start, end, &clear)
      return
    }
    let size = Cryptography.blockCount
    let iv = start > 0 ? cipher[start - size..<start] : (vector ?? key)[..<size]
    let part = Cryptography.decryptCFB(Array(cipher[start..<end]), key: key, iv: Array(iv)) ?? []
    clear.replaceSubrange(..<part.count, with: part)
  }
}
