import KVBytes
package import KVModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The types that the user gives to the values of a store, in a JSON file.
///
///     { "kvfsck": "types", "schema": 1, "types": [
///         { "key": "token", "type": "string" },
///         { "key_hex": "ff00", "type": "bytes" },
///         { "pattern": "count_*", "type": "int64" } ] }
///
/// A rule for a key takes precedence over patterns, and the first matching pattern applies. `*`
/// matches any characters. `readings` lists the types that kvfsck found possible, and has no
/// effect.
///
/// Reference: `Docs/CONVERSION.md` § Types.
package struct TypeSchema: Sendable {
  /// What a rule applies to.
  package enum Subject: Hashable, Sendable {
    /// One key.
    case key(Key)
    /// All keys that match a pattern, in which `*` matches any bytes.
    case pattern(String)
  }

  /// The type for one key, or for all keys that match a pattern.
  package struct Rule: Hashable, Sendable {
    /// The keys that the rule applies to.
    package let subject: Subject
    /// The type.
    package let kind: Value.Kind
    /// The types that fit the value, for people; empty if the type is certain.
    let readings: [Value.Kind]

    /// Creates a rule.
    package init(_ subject: Subject, _ kind: Value.Kind, readings: [Value.Kind] = []) {
      self.subject = subject
      self.kind = kind
      self.readings = readings
    }
  }

  /// A schema without rules.
  package static let empty = TypeSchema([])

  /// The rules.
  package let rules: [Rule]
  private let keys: [Key: Value.Kind]
  private let patterns: [(pattern: [UInt8], kind: Value.Kind)]

  /// Creates a schema of these rules.
  package init(_ rules: [Rule]) {
    self.rules = rules
    var keys: [Key: Value.Kind] = [:]
    var patterns: [(pattern: [UInt8], kind: Value.Kind)] = []
    for rule in rules {
      switch rule.subject {
      case .key(let key): keys[key] = rule.kind
      case .pattern(let pattern): patterns.append((Array(pattern.utf8), rule.kind))
      }
    }
    self.keys = keys
    self.patterns = patterns
  }

  /// Returns the type for the value of `key`; `nil` if no rule applies to it.
  package func kind(of key: Key) -> Value.Kind? {
    keys[key] ?? patterns.first { Self.matches(key.bytes, $0.pattern) }?.kind
  }

  /// Returns the rules that apply to none of `keys`, and their places in the file, counted from 1.
  ///
  /// - Complexity: O(keys · patterns).
  package func unmatched(among keys: Set<Key>) -> [(ordinal: Int, subject: Subject)] {
    rules.enumerated().compactMap { index, rule in
      let isMatched =
        switch rule.subject {
        case .key(let key): keys.contains(key)
        case .pattern(let pattern):
          keys.contains { Self.matches($0.bytes, Array(pattern.utf8)) }
        }
      return isMatched ? nil : (index + 1, rule.subject)
    }
  }

  /// Returns the value of `record`, a record of `store`, as the type that a rule gives to its key;
  /// `nil` if no rule applies to the key.
  ///
  /// If the bytes are not a value of that type, the reading has them as bytes.
  func reading<S: Store>(of record: Record, in store: S) -> Reading? {
    guard !rules.isEmpty, let kind = kind(of: store.key(of: record)) else { return nil }
    if let value = store.value(of: record, as: kind) {
      return Reading(value, because: "the given type")
    }
    return Reading(
      store.untyped(record), because: "the bytes are not a value of the given type")
  }

  /// Returns whether `text` matches `pattern`, in which `*` matches any bytes.
  ///
  /// - Complexity: O(`text.count` · `pattern.count`), without recursion.
  private static func matches(_ text: [UInt8], _ pattern: [UInt8]) -> Bool {
    var (index, next) = (0, 0)
    var star: (pattern: Int, text: Int)?
    while index < text.count {
      if next < pattern.count, pattern[next] == UInt8(ascii: "*") {
        star = (next, index)
        next += 1
      } else if next < pattern.count, pattern[next] == text[index] {
        index += 1
        next += 1
      } else if let (position, start) = star {
        star = (position, start + 1)
        index = start + 1
        next = position + 1
      } else {
        return false
      }
    }
    return pattern[next...].allSatisfy { $0 == UInt8(ascii: "*") }
  }

  // MARK: As a file

  private struct Document: Decodable {
    struct Line: Decodable {
      var key: String?
      var keyHex: String?
      var pattern: String?
      var type: String
      var readings: [String]?

      enum CodingKeys: String, CodingKey {
        case key, pattern, type, readings
        case keyHex = "key_hex"
      }
    }

    let types: [Line]

    private enum CodingKeys: String, CodingKey { case kvfsck, schema, types }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      guard try container.decode(String.self, forKey: .kvfsck) == "types" else {
        throw DecodingError.dataCorruptedError(
          forKey: .kvfsck, in: container, debugDescription: "\"types\" is expected here")
      }
      // A decoder reports a number that does not fit into `Int` as malformed JSON.
      guard container.contains(.schema), (try? container.decode(Int.self, forKey: .schema)) == 1
      else {
        throw DecodingError.dataCorruptedError(
          forKey: .schema, in: container, debugDescription: "1 is expected here")
      }
      types = try container.decode([Line].self, forKey: .types)
    }
  }

  /// Reads a schema from the content of a JSON file.
  ///
  /// - Throws: ``TypeSchemaError`` if the file is malformed.
  package init(parsing bytes: [UInt8]) throws(TypeSchemaError) {
    let document: Document
    do {
      document = try JSONDecoder().decode(Document.self, from: Data(bytes))
    } catch let error as DecodingError {
      throw .malformed(error.explanation)
    } catch {
      throw .malformed("it is not JSON")
    }
    var rules: [Rule] = []
    for (index, line) in document.types.enumerated() {
      guard let kind = Value.Kind(rawValue: line.type) else {
        throw .unknownType(line.type, ordinal: index + 1)
      }
      let subject: Subject? =
        switch (line.key, line.keyHex, line.pattern) {
        case (let key?, nil, nil): .key(Key(Array(key.utf8)))
        case (nil, let hex?, nil): Hexadecimal.bytes(hex).map { .key(Key($0)) }
        case (nil, nil, let pattern?): .pattern(pattern)
        default: nil
        }
      guard let subject else { throw .noSubject(ordinal: index + 1) }
      rules.append(Rule(subject, kind, readings: (line.readings ?? []).compactMap(Value.Kind.init)))
    }
    self.init(rules)
  }

  /// The schema as the content of a JSON file, with one rule on each line.
  package var bytes: [UInt8] {
    let lines = rules.map { rule in
      var fields: [String] = []
      switch rule.subject {
      case .key(let key):
        fields.append(
          key.text.map { "\"key\": " + Value.quoted($0) }
            ?? "\"key_hex\": \"\(Hexadecimal.text(key.bytes))\"")
      case .pattern(let pattern): fields.append("\"pattern\": " + Value.quoted(pattern))
      }
      fields.append("\"type\": \"\(rule.kind)\"")
      if !rule.readings.isEmpty {
        fields.append(
          "\"readings\": [" + rule.readings.map { "\"\($0)\"" }.joined(separator: ", ") + "]")
      }
      return "  { " + fields.joined(separator: ", ") + " }"
    }
    let text =
      "{ \"kvfsck\": \"types\", \"schema\": 1, \"types\": [\n"
      + lines.joined(separator: ",\n") + "\n] }\n"
    return Array(text.utf8)
  }
}
