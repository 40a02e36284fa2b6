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
struct AppleCorpusCase: Sendable, CustomStringConvertible {
  /// The facts known about a value.
  struct KnownValue: Decodable, Sendable {
    let hex: String?
    let sha256: String?

    /// Returns whether `bytes` agree with the known facts.
    func fits(_ bytes: [UInt8]) -> Bool {
      if let hex { return hex == Hexadecimal.text(bytes) }
      guard let sha256 else { return true }
      return Cryptography.sha256(bytes).map { Hexadecimal.text($0) == sha256 } ?? true
    }
  }

  private struct File: Decodable {
    struct Engine: Decodable {
      struct Answer: Decodable { let live: [String: KnownValue]? }
      let recover: Answer
    }
    let kind: String
    let store: String
    let live: [String: KnownValue]?
    let truth: [String: KnownValue]?
    let engine: Engine?
  }

  let name: String
  let kind: String
  let path: FilePath
  /// The correct entries: those of the engine's map, or those stored before the damage.
  let truth: [String: KnownValue]
  /// The entries that the engine shows.
  let engine: [String: KnownValue]

  var description: String { name }

  /// All cases.
  static var all: [AppleCorpusCase] { get throws { try loaded.get() } }

  /// The cases are loaded once, because every suite uses them.
  private static let loaded = Result { try load() }

  private static func load() throws -> [AppleCorpusCase] {
    let root = FilePath("\(#filePath)").removingLastComponent().removingLastComponent()
      .removingLastComponent().removingLastComponent()
      .appending("Fixtures").appending("fastkv-apple")
    return try Folder.names(in: root).flatMap { group in
      try Folder.names(in: root.appending(group)).map { name in
        try AppleCorpusCase(in: root.appending(group).appending(name), named: "\(group)/\(name)")
      }
    }
  }

  private init(in folder: FilePath, named name: String) throws {
    let text = try FileImage.read(folder.appending("case.json")).bytes
    let file = try JSONDecoder().decode(File.self, from: Data(text))
    self.name = name
    kind = file.kind
    path = folder.appending(file.store)
    truth = file.live ?? file.truth ?? [:]
    engine = file.live ?? file.engine?.recover.live ?? [:]
  }

  /// Opens and corrects the store.
  func open() throws -> AppleFastKVStore {
    let format = AppleFastKVFormat()
    return format.open(try format.discover(at: path)).corrected()
  }

  /// Returns the number of `entries` whose keys and values are in `known`.
  static func rightCount(_ entries: [Key: [UInt8]], _ known: [String: KnownValue]) -> Int {
    entries.count { known[Hexadecimal.text($0.key.bytes)]?.fits($0.value) ?? false }
  }
}
