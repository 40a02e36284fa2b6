import KVBytes
import KVModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Why a line of a file of expectations cannot be taken.
struct LineFault: Error, Hashable {
  let reason: String
}

/// A line of a file of expectations: an object of JSON whose members are known.
struct ExpectedLine {
  /// What a line says beside what is compared: where it is, what it means for people, and how it was
  /// arrived at.
  private static let passedOver: [String: Set<String>] = [
    "store": ["schema", "files"],
    "finding": ["file", "offset", "length", "message", "rules", "odds_bits"],
    "state": ["message", "rules"],
    "prediction": ["writes", "message"],
    "entry": [
      "readings", "other_kinds", "content", "file", "offset", "length", "expired", "rules",
    ],
    "summary": ["exit", "cautioned", "recoverable"],
  ]
  /// What every line says where several stores were named.
  private static let path: Set = ["path", "path_hex"]
  private static let compared: [String: Set<String>] = [
    "store": ["format", "encrypted", "version"],
    "finding": ["code", "severity"],
    "state": ["name", "entries", "evidence"],
    "prediction": [
      "strategy", "callbacks", "outcome", "keys", "lost", "unsupported", "lost_keys_hex",
    ],
    "entry": ["key", "key_hex", "raw_hex", "value", "evidence", "cautions", "expires_at"],
    "summary": ["verdict", "entries", "findings"],
  ]
  /// The lines that `check` and `dump` print and that nothing is compared with.
  private static let ignored: Set = ["coverage", "dropped"]

  /// What the line is about.
  let type: String
  private let members: [String: JSONTree]

  /// The line `bytes`.
  ///
  /// - Throws: Why it is none that can be compared.
  init(parsing bytes: [UInt8]) throws(LineFault) {
    // Foundation's decoder takes what is no JSON, such as [1,], and does not look at its depth first.
    guard String(utf8: bytes) != nil, JSONSyntax.isContainer(bytes.storageSpan)
    else {
      throw LineFault(
        reason: "it is no object of JSON on one line, as a JSON report has them")
    }
    let tree: JSONTree
    do {
      tree = try JSONDecoder().decode(JSONTree.self, from: Data(bytes))
    } catch {
      throw LineFault(
        reason: "it holds a number that no double can hold, or half of an escaped character")
    }
    guard case .object(let members) = tree, case .string(let type) = members["type"] else {
      throw LineFault(reason: "it has no \"type\"; each line is an object with one")
    }
    self.type = type
    self.members = members
    if isIgnored { return }
    guard let compared = Self.compared[type],
      let passedOver = Self.passedOver[type]?.union(Self.path)
    else {
      throw LineFault(
        reason: "lines of the type \(Value.quoted(type)) are not compared; those of a check "
          + "and of a dump without history are")
    }
    // A name that is misspelled would never be compared, and nobody would know.
    let unknown = members.keys.filter {
      $0 != "type" && !compared.contains($0) && !passedOver.contains($0)
    }
    if let name = unknown.min() {
      throw LineFault(
        reason: "a line of the type \(type) has no field \(Value.quoted(name)); it has "
          + (compared.union(passedOver)).sorted().joined(separator: ", "))
    }
  }

  /// Whether the line says nothing that is compared.
  var isIgnored: Bool { Self.ignored.contains(type) }

  /// The member called `name`, whatever it is; `nil` where it is absent or null.
  func member(_ name: String) -> JSONTree? {
    members[name].flatMap { $0 == .null ? nil : $0 }
  }

  /// The text called `name`.
  func text(_ name: String) throws(LineFault) -> String? {
    switch member(name) {
    case nil: return nil
    case .string(let text): return text
    case let other?: throw mismatch(name, "a text", other)
    }
  }

  /// The number called `name`, which is whole.
  func integer(_ name: String) throws(LineFault) -> Int? {
    switch member(name) {
    case nil: return nil
    case .integer(let number): return Int(number)
    case let other?: throw mismatch(name, "a whole number", other)
    }
  }

  /// What is true or false under `name`.
  func bool(_ name: String) throws(LineFault) -> Bool? {
    switch member(name) {
    case nil: return nil
    case .bool(let bool): return bool
    case let other?: throw mismatch(name, "true or false", other)
    }
  }

  /// The texts called `name`.
  func texts(_ name: String) throws(LineFault) -> [String]? {
    guard let member = member(name) else { return nil }
    guard case .array(let elements) = member else { throw mismatch(name, "an array", member) }
    var texts: [String] = []
    for element in elements {
      guard case .string(let text) = element else { throw mismatch(name, "of texts", element) }
      texts.append(text)
    }
    return texts
  }

  /// The bytes that are called `name`, in hexadecimal.
  func bytes(_ name: String) throws(LineFault) -> [UInt8]? {
    guard let text = try text(name) else { return nil }
    return try bytes(name, text)
  }

  /// The keys that are called `name`, in hexadecimal.
  func keys(_ name: String) throws(LineFault) -> [Key]? {
    guard let texts = try texts(name) else { return nil }
    var keys: [Key] = []
    for text in texts { keys.append(Key(try bytes(name, text))) }
    return keys
  }

  private func bytes(_ name: String, _ text: String) throws(LineFault) -> [UInt8] {
    guard let bytes = Hexadecimal.bytes(text) else {
      throw LineFault(
        reason: "\(name) is no even number of hexadecimal digits: \(DisplayText.escaped(text))")
    }
    return bytes
  }

  /// The text called `name`, which the line cannot do without.
  func required(_ name: String) throws(LineFault) -> String {
    guard let text = try text(name) else {
      throw LineFault(reason: "a line of the type \(type) needs \"\(name)\"")
    }
    return text
  }

  private func mismatch(_ name: String, _ wanted: String, _ found: JSONTree) -> LineFault {
    LineFault(reason: "\(name) has to be \(wanted), and is \(found.kind)")
  }
}
