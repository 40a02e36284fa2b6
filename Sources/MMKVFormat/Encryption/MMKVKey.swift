import KVCryptography

/// The key of an encrypted store, and the size of AES that it is for.
package struct MMKVKey: Hashable, Sendable {
  /// The key's bytes as the app passes them.
  package let bytes: [UInt8]
  /// Whether it is for AES-256; otherwise it is for AES-128.
  package let isAES256: Bool

  /// A key of these bytes.
  ///
  /// The engine cuts longer ones and fills shorter ones with zeros.
  package init(_ bytes: [UInt8], isAES256: Bool = false) {
    self.bytes = bytes
    self.isAES256 = isAES256
  }

  /// The same bytes for the other size of AES.
  var forOtherSize: MMKVKey { MMKVKey(bytes, isAES256: !isAES256) }

  /// The key that AES gets: cut or filled with zeros to 16 or 32 bytes.
  package var padded: [UInt8] {
    let count = isAES256 ? 32 : 16
    return bytes.prefix(count) + [UInt8](repeating: 0, count: max(0, count - bytes.count))
  }

  /// The cipher's name.
  var cipherName: String { isAES256 ? "AES-256-CFB" : "AES-128-CFB" }

  /// The vector of a store whose meta file has none: the start of the key.
  var impliedVector: [UInt8] { Array(padded.prefix(Cryptography.blockCount)) }
}
