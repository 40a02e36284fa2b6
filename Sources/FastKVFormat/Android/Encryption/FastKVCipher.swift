/// An app's cipher for the entries of an Android FastKV store.
///
/// The engine leaves the choice to the app (`FastCipher`). Structure, booleans and names of
/// external files stay plain. kvfsck includes the cipher of the demo app, which many apps copy:
/// ``DemoCipher``.
package protocol FastKVCipher: Sendable {
  /// Returns the plaintext of a key, text, array or object; `nil` if `ciphertext` is not one.
  func decrypt(_ ciphertext: [UInt8]) -> [UInt8]?
  /// Returns the ciphertext of a key, text, array or object; `nil` if this build cannot encrypt.
  func encrypt(_ plaintext: [UInt8]) -> [UInt8]?
  /// Returns the ciphertext of a part of the record with the key `name`: the same one each time, if
  /// the cipher can do that without showing which records have the same content.
  func encrypt(_ plaintext: [UInt8], of name: [UInt8]) -> [UInt8]?
  /// Returns the plaintext of a number of 4 or 8 bytes, which has the same length.
  func decryptNumber(_ ciphertext: [UInt8]) -> [UInt8]
  /// Returns the ciphertext of a number of 4 or 8 bytes, which has the same length.
  func encryptNumber(_ plaintext: [UInt8]) -> [UInt8]
  /// Returns whether a ciphertext can have this number of bytes.
  func isPossible(ciphertextCount: Int) -> Bool
}

extension FastKVCipher {
  /// Returns the ciphertext of `plaintext`, which may be another one each time.
  package func encrypt(_ plaintext: [UInt8], of name: [UInt8]) -> [UInt8]? { encrypt(plaintext) }
}
