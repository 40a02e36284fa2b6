import KVBytes
import KVModel

/// The answer key of a damaged store: what was there, what is lost, what must be recoverable.
///
/// Keys and values are hexadecimal text. `Docs/FIXTURES.md` § Answer keys says what each field means.
public struct AnswerKey: Hashable, Sendable, Codable {
  /// The version of the fields.
  public static let currentSchema = 1

  /// What was done to one file.
  public struct Change: Hashable, Sendable, Codable {
    enum CodingKeys: String, CodingKey {
      case file, kind, offset
      case beforeCount = "before_length"
      case afterCount = "after_length"
      case before = "before_hex"
      case after = "after_hex"
    }

    /// The file, by its name below the folder of the store.
    public var file: String
    /// `bytes`, or `removed` for a file that is gone.
    public var kind: String
    /// Where, in the healthy file.
    public var offset: Int
    /// How many bytes were there.
    public var beforeCount: Int
    /// How many are there now.
    public var afterCount: Int
    /// The bytes that were there; absent if they are more than 4096.
    public var before: String?
    /// The bytes that are there now; absent if they are more than 4096.
    public var after: String?
  }

  enum CodingKeys: String, CodingKey {
    case schema, seed, format, store, now, changes, truth, untouched, lost, must, may
    case damage = "operator"
    case key = "key_hex"
    case isAES256 = "aes256"
    case alsoTrue = "also_true"
  }

  /// The most bytes of a change that are written out.
  static let longestHex = 4096

  /// The version of the fields.
  public var schema: Int
  /// The operator's name.
  public var damage: String
  /// The seed that decided where.
  public var seed: String
  /// The format's name.
  public var format: String
  /// The path of the store from the folder of the answer.
  public var store: String
  /// The key of an encrypted store; absent where it is plain.
  public var key: String?
  /// Whether that key is for AES-256; absent where the store is plain.
  public var isAES256: Bool?
  /// The clock by which entries expire, in seconds since 1970.
  public var now: UInt32
  /// What was done.
  public var changes: [Change]
  /// What the healthy store held: the value of each key.
  public var truth: [String: String]
  /// The keys whose newest record is whole.
  public var untouched: [String]
  /// The keys whose newest record is in none of the files.
  public var lost: [String]
  /// The keys whose values must be returned.
  public var must: [String]
  /// The other keys of ``truth``: returning them is right, but not required.
  public var may: [String]
  /// Older values of keys: returning one is stale, and not invented.
  public var alsoTrue: [String: [String]]
}

extension AnswerKey {
  /// The answer for `target` with `damage`, whose files are `damaged` then.
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
  fileprivate init(_ edit: FileEdit, of image: DiskImage) {
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
