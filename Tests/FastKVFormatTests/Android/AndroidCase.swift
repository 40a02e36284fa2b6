import FastKVFormat
import Foundation
import KVBytes
import KVCryptography
import KVInput
import KVModel
import KVRecovery
import KVSystem
import SystemPackage

/// A store that the real engine wrote, and the facts known about it.
///
/// See `Fixtures/README.md`.
struct AndroidCase: Sendable, CustomStringConvertible {
  /// The facts known about a value.
  struct Known: Decodable, Sendable {
    private static let unitsMark = "u16:"

    /// The bytes in hexadecimal, or `u16:` and the code units of a string with an unpaired
    /// surrogate.
    let hex: String?
    let sha256: String?
    /// Whether every value is right, because the engine itself has no value to compare with.
    let any: Bool?

    /// Returns whether `value` agrees with the known facts.
    ///
    /// A digest is compared only in a build that has SHA-256.
    func fits(_ value: [UInt8]) -> Bool {
      if let hex {
        return (hex.hasPrefix(Self.unitsMark) ? Self.stored(hex) : Hexadecimal.bytes(hex)) == value
      }
      guard let sha256 else { return any == true }
      return Cryptography.sha256(value).map { Hexadecimal.text($0) == sha256 } ?? true
    }

    /// Returns the bytes that Java stores for these code units, with `?` for an unpaired surrogate.
    private static func stored(_ hex: String) -> [UInt8]? {
      guard let bytes = Hexadecimal.bytes(String(hex.dropFirst(unitsMark.count))) else {
        return nil
      }
      let units = stride(from: 0, to: bytes.count - 1, by: 2).map {
        UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
      }
      return String(decoding: units, as: UTF16.self).unicodeScalars.flatMap {
        $0 == "\u{FFFD}" ? [UInt8(ascii: "?")] : Array(String($0).utf8)
      }
    }
  }

  private struct File: Decodable {
    struct Outcome: Decodable { let live: [String: Known] }

    let kind: String
    let store: String
    let mode: String
    let key_hex: String?
    let wrong_key: Bool
    let live: [String: Known]?
    let truth: [String: Known]?
    let engine: [String: Outcome]?
  }

  let description: String
  let path: FilePath
  let kind: String
  let isBlocking: Bool
  let key: [UInt8]?
  let isWrongKey: Bool
  let truth: [Key: Known]
  let engine: [Key: Known]

  /// The cases that this build can open, sorted by name.
  static var all: [AndroidCase] { get throws { try loaded.get() } }

  /// The cases are loaded once, because every suite uses them.
  private static let loaded = Result { try load() }

  private static func load() throws -> [AndroidCase] {
    let root = FilePath("\(#filePath)").removingLastComponent().removingLastComponent()
      .removingLastComponent().removingLastComponent()
      .appending("Fixtures").appending("fastkv-android")
    return try Folder.names(in: root).flatMap { group in
      try Folder.names(in: root.appending(group)).map { name in
        try AndroidCase(root.appending(group).appending(name), "\(group)/\(name)")
      }
    }.filter { $0.key == nil || Cryptography.isAvailable }
  }

  private init(_ folder: FilePath, _ name: String) throws {
    let text = try FileImage.read(folder.appending("case.json")).bytes
    let file = try JSONDecoder().decode(File.self, from: Data(text))
    func map(_ known: [String: Known]) -> [Key: Known] {
      Dictionary(
        known.map { (Key(Hexadecimal.bytes($0.key) ?? []), $0.value) }, uniquingKeysWith: { $1 })
    }
    description = name
    path = folder.appending(file.store)
    kind = file.kind
    isBlocking = file.mode != "nb"
    key = file.key_hex.flatMap { Hexadecimal.bytes($0) }
    isWrongKey = file.wrong_key
    truth = map(file.live ?? file.truth ?? [:])
    engine = map(file.engine?["recover"]?.live ?? file.live ?? [:])
  }

  /// Opens the store with the key of the case's app, and corrects it.
  func open() throws -> AndroidFastKVStore {
    let format = AndroidFastKVFormat(key: key, mode: isBlocking ? .blocking : .nonBlocking)
    return format.open(try format.discover(at: path)).corrected()
  }

  /// Returns the keys that are in only one of the two dictionaries, or whose values differ.
  static func differences(_ entries: [Key: [UInt8]], _ known: [Key: Known]) -> [Key] {
    Set(entries.keys).union(known.keys).filter { key in
      guard let value = entries[key], let known = known[key] else { return true }
      return !known.fits(value)
    }.sorted()
  }

  /// Returns the number of `entries` whose keys and values are in `known`.
  static func rightCount(_ entries: [Key: [UInt8]], _ known: [Key: Known]) -> Int {
    entries.count { known[$0.key]?.fits($0.value) ?? false }
  }
}
