import Foundation
import KVBytes
import KVCryptography
import KVInput
package import KVModel
import KVRecovery
import KVSystem
package import MMKVFormat
package import SystemPackage

/// A store that the real engine wrote, and what is known about it; see `Fixtures/README.md`.
package struct CorpusCase: Sendable, CustomStringConvertible {
  /// How much is known of a value.
  package enum KnownValue: Sendable {
    /// All of it.
    case bytes([UInt8])
    /// Its digest.
    case sha256(String)
  }

  /// What the engine made of the store.
  package struct Outcome: Sendable {
    /// The handlers that it called.
    package let callbacks: [String]
    /// Its map.
    package let live: [Key: KnownValue]
  }

  /// The case's folder, by its last two names.
  package let name: String
  /// What the case is.
  package let kind: String
  /// The file to open.
  package let path: FilePath
  /// The key to open it with.
  package let key: MMKVKey?
  /// Whether that is deliberately not the right one.
  package let isWrongKey: Bool
  /// The clock for expiry.
  package let now: UInt32
  /// The engine's map, of a healthy store; else what was stored before the damage.
  package let truth: [Key: KnownValue]
  /// What was stored if the operation that was interrupted counts; `nil` where none was.
  package let alsoTruth: [Key: KnownValue]?
  /// The keys of which the newest record is untouched by the damage.
  package let untouched: Set<Key>
  /// The state that holds what is asked for, by name; `nil` for the one that a recovery takes.
  package let state: String?
  /// What the engine made of a damaged store, by the answer of its handlers; empty of a healthy one.
  package let engine: [RecoveryDecision: Outcome]

  /// The case's name, for test reports.
  package var description: String { name }

  /// The cases of MMKV that this build can open, by name.
  package static var mmkv: [CorpusCase] { get throws { try loaded.get() } }

  /// They are read once: every suite asks for them.
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

  /// The store, opened with the case's key and clock, and corrected.
  package func open() throws -> MMKVStore {
    let format = MMKVFormat(key: key, now: now)
    return format.open(try format.discover(at: path)).corrected()
  }

  // MARK: Comparing

  /// The keys of which `entries` has another value than `known`, or only one of the two has one.
  ///
  /// In a build without digests, a value of which only the digest is known counts as equal.
  package static func differences(
    _ entries: [Key: [UInt8]], _ known: [Key: KnownValue]
  ) -> [Key] {
    Set(entries.keys).union(known.keys).filter { !isRight(entries[$0], known[$0]) }.sorted()
  }

  /// How many of `entries` are in `known`, with that value.
  package static func rightCount(_ entries: [Key: [UInt8]], _ known: [Key: KnownValue]) -> Int {
    entries.count { isRight($0.value, known[$0.key]) }
  }

  /// Whether `value` is what the case says of `key`, with the interrupted operation or without.
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
  /// The entries of `records`, by key.
  package func entries(_ records: some Sequence<Record>) -> [Key: [UInt8]] {
    Dictionary(records.map { (key(of: $0), value(of: $0)) }) { _, new in new }
  }
}
