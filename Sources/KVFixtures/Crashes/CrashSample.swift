import KVBytes
import KVModel

/// A state that a crash left, with what may be found in it.
package struct CrashSample: Hashable, Sendable {
  /// The name of the format of the store.
  let format: String
  /// The cause of the crash, and the files that it left.
  let state: CrashState
  /// The key with which the files are encrypted.
  let key: StoreKey?
  /// The time of the crash, in seconds since 1970.
  let now: UInt32
  /// For each key that may be there, its acceptable values; `nil` means that it may be absent.
  let entries: [Key: Set<[UInt8]?>]
}

/// The answer key of a state that a crash left.
///
/// Keys and values are hexadecimal text. `Docs/FIXTURES.md` § Crash states describes each field.
struct CrashAnswer: Hashable, Sendable, Encodable {
  enum CodingKeys: String, CodingKey {
    case schema, cause, format, store, now, acceptable
    case key = "key_hex"
    case isAES256 = "aes256"
  }

  /// The version of the schema.
  let schema: Int
  /// The cause of the crash.
  let cause: String
  /// The name of the format.
  let format: String
  /// The path of the store, relative to the folder of the answer key.
  let store: String
  /// The key of an encrypted store.
  let key: String?
  /// Whether that key is for AES-256.
  let isAES256: Bool?
  /// The time of the crash, in seconds since 1970.
  let now: UInt32
  /// For each key that may be there, its acceptable values; `null` means that it may be absent.
  let acceptable: [String: [String?]]

  init(_ sample: CrashSample) {
    schema = AnswerKey.currentSchema
    cause = sample.state.cause.text
    format = sample.format
    store = CorpusLayout.store(sample.state.image)
    key = sample.key.map { Hexadecimal.text($0.bytes) }
    isAES256 = sample.key?.isAES256
    now = sample.now
    acceptable = Dictionary(
      uniqueKeysWithValues: sample.entries.map { key, values in
        let texts = values.map { value in value.map { Hexadecimal.text($0) } }
        return (Hexadecimal.text(key.bytes), texts.sorted { ($0 ?? "") < ($1 ?? "") })
      })
  }
}
