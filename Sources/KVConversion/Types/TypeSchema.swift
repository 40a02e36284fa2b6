import KVBytes
package import KVModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Which types the values of a store have, as a person says it: a JSON file.
///
///     { "kvfsck": "types", "schema": 1, "types": [
///         { "key": "token", "type": "string" },
///         { "key_hex": "ff00", "type": "bytes" },
///         { "pattern": "count_*", "type": "int64" } ] }
///
/// A key goes before patterns; of patterns, the first that matches counts. `*` stands for any
/// characters. `readings` beside a type is what kvfsck found possible, and is not read.
///
/// Reference: `Docs/CONVERSION.md` § Types.
package struct TypeSchema: Sendable {
  /// What a rule is about.
  package enum Subject: Hashable, Sendable {
    /// One key.
    case key(Key)
    /// All keys whose text matches.
    case pattern(String)
  }

  /// The type of one key, or of several.
  package struct Rule: Hashable, Sendable {
    /// Which keys.
    package let subject: Subject
    /// The type.
    package let kind: Value.Kind
    /// What else the values can be.
    package let readings: [Value.Kind]

    /// A rule.
    package init(_ subject: Subject, _ kind: Value.Kind, readings: [Value.Kind] = []) {
      self.subject = subject
      self.kind = kind
      self.readings = readings
    }
  }

  /// A schema that says nothing.
  package static let empty = TypeSchema([])

  /// The rules.
  package let rules: [Rule]
  private let keys: [Key: Value.Kind]
  private let patterns: [(pattern: [UInt8], kind: Value.Kind)]

  /// A schema of these rules.
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

  /// The type of the value of `key`, if a rule is about it.
  package func kind(of key: Key) -> Value.Kind? {
    keys[key] ?? patterns.first { Self.matches(key.bytes, $0.pattern) }?.kind
  }

  /// Returns the value of `record`, a record of `store`, as the type that a rule gives its key, and its
  /// bytes where they are no value of that type; `nil` if no rule is about the key.
  func reading<S: Store>(of record: Record, in store: S) -> Reading? {
    guard let kind = kind(of: store.key(of: record)) else { return nil }
    if let value = store.value(of: record, as: kind) {
      return Reading(value, because: "the given type")
    }
    return Reading(
      store.untyped(record), because: "the bytes are not a value of the given type")
  }

  /// Whether `text` is `pattern`, with any bytes for each `*`.
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
      // A decoder calls a document malformed whose number does not fit.
      guard container.contains(.schema), (try? container.decode(Int.self, forKey: .schema)) == 1
      else {
        throw DecodingError.dataCorruptedError(
          forKey: .schema, in: container, debugDescription: "1 is expected here")
      }
      types = try container.decode([Line].self, forKey: .types)
    }
  }

  /// The schema in the JSON file `bytes`.
  ///
  /// - Throws: What is wrong with it.
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

  /// The schema as a JSON file, a rule on each line.
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
