import KVBytes
import KVModel

/// The answer key of a damaged store: what it held, what is lost, and what must be recoverable.
///
/// Keys and values are hexadecimal text. `Docs/FIXTURES.md` § Answer keys describes each field.
public struct AnswerKey: Hashable, Sendable, Codable {
  /// The current version of the schema.
  static let currentSchema = 1

  /// A change to one file.
  package struct Change: Hashable, Sendable, Codable {
    enum CodingKeys: String, CodingKey {
      case file, kind, offset
      case beforeCount = "before_length"
      case afterCount = "after_length"
      case before = "before_hex"
      case after = "after_hex"
    }

    /// The file, by its path relative to the folder of the store.
    package var file: String
    /// `bytes`, or `removed` if the file was deleted.
    package var kind: String
    /// The offset of the change in the healthy file.
    package var offset: Int
    /// The number of bytes before the change.
    package var beforeCount: Int
    /// The number of bytes after the change.
    var afterCount: Int
    /// The bytes before the change.
    ///
    /// Absent if there are more than 4,096.
    package var before: String?
    /// The bytes after the change.
    ///
    /// Absent if there are more than 4,096.
    package var after: String?
  }

  enum CodingKeys: String, CodingKey {
    case schema, seed, format, store, now, changes, truth, untouched, lost, must, may
    case damage = "operator"
    case key = "key_hex"
    case isAES256 = "aes256"
    case alsoTrue = "also_true"
  }

  /// The maximum number of bytes of a change that are written out.
  static let longestHex = 4096

  /// The version of the schema.
  var schema: Int
  /// The name of the damage operator.
  package var damage: String
  /// The seed that determined the place of the damage.
  package var seed: String
  /// The name of the format.
  package var format: String
  /// The path of the store, relative to the folder of the answer key.
  package var store: String
  /// The key of an encrypted store.
  ///
  /// Absent if the store is not encrypted.
  package var key: String?
  /// Whether that key is for AES-256.
  ///
  /// Absent if the store is not encrypted.
  package var isAES256: Bool?
  /// The current time when entries are checked for expiry, in seconds since 1970.
  package var now: UInt32
  /// The changes made to the files.
  package var changes: [Change]
  /// The entries of the healthy store: the value of each key.
  public var truth: [String: String]
  /// The keys whose newest record is intact.
  public var untouched: [String]
  /// The keys whose newest record is in none of the files.
  public var lost: [String]
  /// The keys whose values must be returned.
  public var must: [String]
  /// The other keys of ``truth``.
  ///
  /// Returning them is right, but not required.
  public var may: [String]
  /// Older values of keys.
  ///
  /// Returning one of them is stale, but not invented.
  public var alsoTrue: [String: [String]]
}

extension AnswerKey {
  /// Creates the answer key for `target` after `damage`, which leaves the files `damaged`.
  init(
    _ target: DamageTarget, _ damage: Damage, by name: String, seed: UInt64, store: String,
    damaged: DiskImage
  ) {
    let answers = Answers(target, damage, damaged)
    let texts = { (keys: Set<Key>) in keys.sorted().map { Hexadecimal.text($0.bytes) } }
    self.init(
      schema: Self.currentSchema, damage: name, seed: String(seed),
      format: target.format.name, store: store,
      key: target.key.map { Hexadecimal.text($0.bytes) }, isAES256: target.key?.isAES256,
      now: target.now,
      changes: damage.edits.map { Change($0, of: target.image) }
        + damage.removed.map { Change(removing: $0, of: target.image) },
      truth: Dictionary(
        uniqueKeysWithValues: target.truth.map {
          (Hexadecimal.text($0.key.bytes), Hexadecimal.text($0.value))
        }),
      untouched: texts(answers.untouched), lost: texts(answers.lost), must: texts(answers.must),
      may: texts(Set(target.truth.keys).subtracting(answers.must)),
      alsoTrue: Self.alsoTrue(target))
  }

  private static func alsoTrue(_ target: DamageTarget) -> [String: [String]] {
    var older: [String: [String]] = [:]
    for (key, values) in target.history {
      let others = values.filter { $0 != target.truth[key] }.map { Hexadecimal.text($0) }
      if !others.isEmpty { older[Hexadecimal.text(key.bytes)] = others.sorted() }
    }
    return older
  }
}

extension AnswerKey.Change {
  init(_ edit: FileEdit, of image: DiskImage) {
    let before = image[edit.file].map { Array($0.bytes[edit.range]) } ?? []
    self.init(
      file: edit.file, kind: "bytes", offset: edit.range.lowerBound, beforeCount: before.count,
      afterCount: edit.bytes.count, before: Self.text(before), after: Self.text(edit.bytes))
  }

  fileprivate init(removing file: String, of image: DiskImage) {
    let before = image[file]?.bytes ?? []
    self.init(
      file: file, kind: "removed", offset: 0, beforeCount: before.count, afterCount: 0,
      before: Self.text(before), after: nil)
  }

  private static func text(_ bytes: [UInt8]) -> String? {
    bytes.count <= AnswerKey.longestHex ? Hexadecimal.text(bytes) : nil
  }
}
