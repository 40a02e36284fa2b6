/// How an app encrypts the entries of an Android FastKV store.
///
/// The engine leaves that to the app (`FastCipher`); structure, booleans and names of external files
/// stay plain. kvfsck knows the cipher of the demo app, which many copy: ``DemoCipher``.
package protocol FastKVCipher: Sendable {
  /// The plaintext of a key, text, array or object; `nil` where this is no ciphertext.
  func decrypt(_ ciphertext: [UInt8]) -> [UInt8]?
  /// The ciphertext of a key, text, array or object; `nil` where this build cannot encrypt.
  func encrypt(_ plaintext: [UInt8]) -> [UInt8]?
  /// The plaintext of a number of 4 or 8 bytes; as many bytes.
  func decryptNumber(_ ciphertext: [UInt8]) -> [UInt8]
  /// The ciphertext of a number of 4 or 8 bytes; as many bytes.
  func encryptNumber(_ plaintext: [UInt8]) -> [UInt8]
  /// Whether a ciphertext can have so many bytes.
  func isPossible(ciphertextCount: Int) -> Bool
}
