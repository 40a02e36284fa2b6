import Foundation
import KVBytes
import KVCryptography
import KVInput
package import KVModel
import KVRecovery
import KVSystem
package import MMKVFormat
package import SystemPackage

/// A store that the real engine wrote, and the facts known about it.
///
/// See `Fixtures/README.md`.
package struct CorpusCase: Sendable, CustomStringConvertible {
  /// The facts known about a value.
  package enum KnownValue: Sendable {
    /// All of its bytes.
    case bytes([UInt8])
    /// Its SHA-256.
    case sha256(String)
  }

  /// The result of opening the store with the engine.
  package struct Outcome: Sendable {
    /// The handlers that the engine called.
    package let callbacks: [String]
    /// The entries in the engine's map.
    package let live: [Key: KnownValue]
  }

  /// The last two components of the path of the case's folder.
  package let name: String
  /// The kind of case.
  package let kind: String
  /// The file to open.
  package let path: FilePath
  /// The key to open it with.
  package let key: MMKVKey?
  /// Whether that key is deliberately wrong.
  package let isWrongKey: Bool
  /// The time for checking expiry, in seconds since 1970.
  package let now: UInt32
  /// The engine's map if the store is healthy, or else the entries stored before the damage.
  package let truth: [Key: KnownValue]
  /// The entries stored if the interrupted operation counts, or `nil` if none was interrupted.
  package let alsoTruth: [Key: KnownValue]?
  /// The keys whose newest record is not damaged.
  package let untouched: Set<Key>
  /// The name of the state that has the expected entries, or `nil` for the state that a recovery
  /// uses.
  package let state: String?
  /// The results of opening a damaged store with the engine, by the answer of its handlers.
  ///
  /// Empty for a healthy store.
  package let engine: [RecoveryDecision: Outcome]

  /// The name of the case, for test reports.
  package var description: String { name }

  /// The MMKV cases that this build can open, sorted by name.
  package static var mmkv: [CorpusCase] { get throws { try loaded.get() } }

  /// The cases are loaded once, because every suite uses them.
  private static let loaded = Result { try load() }

  private static func load() throws -> [CorpusCase] {
    let root = FilePath("\(#filePath)").removingLastComponent().removingLastComponent()
      .removingLastComponent().appending("Fixtures").appending("mmkv")
    var cases: [CorpusCase] = []
    for group in try Folder.names(in: root) {
      for name in try Folder.names(in: root.appending(group)) {
        cases.append(
          try CorpusCase(in: root.appending(group).appending(name), named: "\(group)/\(name)"))
      }
    }
    return cases
  }

  private init(in folder: FilePath, named name: String) throws {
    let text = try FileImage.read(folder.appending("case.json")).bytes
    let file = try JSONDecoder().decode(File.self, from: Data(text))
    self.name = name
    kind = file.kind
    path = folder.appending(file.store)
    key = try file.keyHex.map { MMKVKey(try Self.bytes($0), isAES256: file.aes256) }
    isWrongKey = file.wrongKey
    now = file.now
    truth = try Self.map(file.live ?? file.truth ?? [:])
    alsoTruth = try file.alsoTruth.map { try Self.map($0) }
    untouched = Set(try (file.floor ?? []).map { Key(try Self.bytes($0)) })
    state = file.state
    var engine: [RecoveryDecision: Outcome] = [:]
    for (answer, outcome) in file.engine ?? [:] {
      let decision = try RecoveryDecision(rawValue: answer).orThrow("no answer: \(answer)")
      engine[decision] = Outcome(
        callbacks: outcome.callbacks, live: try Self.map(outcome.live))
    }
    self.engine = engine
  }

  /// Opens the store with the case's key and time, and corrects it.
  package func open() throws -> MMKVStore {
    let format = MMKVFormat(key: key, now: now)
    return format.open(try format.discover(at: path)).corrected()
  }

  // MARK: Comparing

  /// Returns the keys that are in only one of the two dictionaries, or whose values differ.
  ///
  /// In a build without SHA-256, a value of which only the hash is known counts as equal.
  package static func differences(
    _ entries: [Key: [UInt8]], _ known: [Key: KnownValue]
  ) -> [Key] {
    Set(entries.keys).union(known.keys).filter { !isRight(entries[$0], known[$0]) }.sorted()
  }

  /// Returns the number of `entries` whose keys and values are in `known`.
  package static func rightCount(_ entries: [Key: [UInt8]], _ known: [Key: KnownValue]) -> Int {
    entries.count { isRight($0.value, known[$0.key]) }
  }

  /// Returns whether `value` is what the case states for `key`, with or without the interrupted
  /// operation.
  package func isRight(_ value: [UInt8], of key: Key) -> Bool {
    Self.isRight(value, truth[key]) || Self.isRight(value, alsoTruth?[key])
  }

  private static func isRight(_ value: [UInt8]?, _ known: KnownValue?) -> Bool {
    guard let value, let known else { return false }
    switch known {
    case .bytes(let bytes): return bytes == value
    case .sha256(let digest):
      return Cryptography.sha256(value).map { Hexadecimal.text($0) == digest } ?? true
    }
  }

  // MARK: Reading

  private struct File: Decodable {
    struct Value: Decodable {
      let hex: String?
      let sha256: String?
    }
    struct Outcome: Decodable {
      let callbacks: [String]
      let live: [String: Value]
    }

    let kind: String
    let store: String
    let keyHex: String?
    let aes256: Bool
    let wrongKey: Bool
    let now: UInt32
    let live: [String: Value]?
    let truth: [String: Value]?
    let alsoTruth: [String: Value]?
    let floor: [String]?
    let state: String?
    let engine: [String: Outcome]?

    enum CodingKeys: String, CodingKey {
      case kind, store, aes256, now, live, truth, floor, state, engine
      case alsoTruth = "also_true"
      case keyHex = "key_hex"
      case wrongKey = "wrong_key"
    }
  }

  private static func map(_ fields: [String: File.Value]) throws -> [Key: KnownValue] {
    var map: [Key: KnownValue] = [:]
    for (hex, value) in fields {
      let known: KnownValue
      if let hex = value.hex {
        known = .bytes(try bytes(hex))
      } else {
        known = .sha256(try value.sha256.orThrow("a value that nothing is known of"))
      }
      map[Key(try bytes(hex))] = known
    }
    return map
  }

  private static func bytes(_ hex: String) throws -> [UInt8] {
    try Hexadecimal.bytes(hex).orThrow("no hexadecimal text: \(hex)")
  }
}

private struct Malformed: Error { let reason: String }

extension Optional {
  fileprivate func orThrow(_ reason: String) throws -> Wrapped {
    guard let self else { throw Malformed(reason: reason) }
    return self
  }
}

extension Store {
  /// Returns the entries of `records`, by key.
  package func entries(_ records: some Sequence<Record>) -> [Key: [UInt8]] {
    Dictionary(records.map { (key(of: $0), value(of: $0)) }) { _, new in new }
  }
}
