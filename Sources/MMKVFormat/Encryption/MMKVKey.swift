import KVBytes
import KVCryptography

/// The key of an encrypted store, and the AES key size it is for.
package struct MMKVKey: Hashable, Sendable {
  /// The bytes of the key as the app passes them.
  package let bytes: [UInt8]
  /// Whether the key is for AES-256 rather than AES-128.
  package let isAES256: Bool

  /// Creates a key from `bytes`.
  ///
  /// The engine truncates longer keys and pads shorter ones with zeros.
  package init(_ bytes: [UInt8], isAES256: Bool = false) {
    self.bytes = bytes
    self.isAES256 = isAES256
  }

  /// The same bytes for the other AES key size.
  var forOtherSize: MMKVKey { MMKVKey(bytes, isAES256: !isAES256) }

  /// The key passed to AES: truncated or padded with zeros to 16 or 32 bytes.
  package var padded: [UInt8] {
    let count = isAES256 ? 32 : 16
    return bytes.prefix(count) + [UInt8](repeating: 0, count: max(0, count - bytes.count))
  }

  /// The name of the cipher.
  var cipherName: String { isAES256 ? "AES-256-CFB" : "AES-128-CFB" }

  /// The vector of a store whose meta file has none: the start of the key.
  var impliedVector: [UInt8] { Array(padded.prefix(Cryptography.blockCount)) }
}
