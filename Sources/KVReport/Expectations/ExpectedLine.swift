import ExchangeFormats
import KVBytes
import KVModel

/// The reason why a line of a file of expectations is not valid.
struct LineFault: Error, Hashable {
  let reason: String
}

/// A line of a file of expectations: a JSON object with known members.
struct ExpectedLine {
  /// The fields that are not compared, by type: places, texts for people, and how the content was
  /// determined.
  private static let passedOver: [String: Set<String>] = [
    "store": ["schema", "files"],
    "finding": ["file", "offset", "length", "message", "rules", "odds_bits"],
    "state": ["message", "rules", "guesses"],
    "prediction": ["writes", "message", "lost_guesses", "expired"],
    "entry": [
      "likely", "readings", "other_kinds", "content", "file", "offset", "length", "expired",
      "rules", "probability", "weighing",
    ],
    "summary": [
      "exit", "cautioned", "guesses", "recoverable", "recoverable_guesses", "superseded", "removed",
      "residual", "residual_bytes",
    ],
  ]
  /// The fields that every line has if several stores were named.
  private static let path: Set = ["path", "path_hex"]
  private static let compared: [String: Set<String>] = [
    "store": ["format", "encrypted", "version"],
    "finding": ["code", "severity"],
    "state": ["name", "entries", "evidence"],
    "prediction": [
      "strategy", "premise", "callbacks", "outcome", "keys", "lost", "unsupported",
      "lost_keys_hex",
    ],
    "entry": ["key", "key_hex", "raw_hex", "value", "evidence", "cautions", "expires_at"],
    "summary": ["verdict", "entries", "findings"],
  ]
  /// The types of lines that `check` and `dump` print and that are not compared.
  private static let ignored: Set = ["coverage", "dropped"]

  /// The type of the line.
  let type: String
  private let members: [String: Value]

  /// Parses the line `bytes`.
  ///
  /// - Throws: The reason why the line cannot be compared.
  init(parsing bytes: [UInt8]) throws(LineFault) {
    let value: Value
    do throws(JSONScanner.Fault) {
      value = try Value(reportJSON: bytes)
    } catch {
      throw LineFault(
        reason: "it is not a JSON object on one line that can be compared: at byte "
          + "\(error.offset) of the line, \(error.reason)")
    }
    guard case .dictionary(let list) = value, case .string(let type) = value.member("type") else {
      throw LineFault(reason: "it has no \"type\"; each line needs one")
    }
    let members = Dictionary(list.map { ($0.name, $0.value) }) { $1 }
    self.type = type
    self.members = members
    if isIgnored { return }
    guard let compared = Self.compared[type],
      let passedOver = Self.passedOver[type]?.union(Self.path)
    else {
      throw LineFault(
        reason: "lines of type \(Value.quoted(type)) are not compared, only those of check "
          + "and of dump without history")
    }
    // A misspelled name would silently never be compared.
    let unknown = members.keys.filter {
      $0 != "type" && !compared.contains($0) && !passedOver.contains($0)
    }
    if let name = unknown.min() {
      throw LineFault(
        reason: "a line of type \(type) has no field \(Value.quoted(name)); its fields are "
          + (compared.union(passedOver)).sorted().joined(separator: ", "))
    }
  }

  /// Whether nothing in the line is compared.
  var isIgnored: Bool { Self.ignored.contains(type) }

  /// Returns the member called `name`; `nil` if it is absent or null.
  func member(_ name: String) -> Value? {
    members[name].flatMap { $0 == .null ? nil : $0 }
  }

  /// Returns the text called `name`.
  func text(_ name: String) throws(LineFault) -> String? {
    switch member(name) {
    case nil: return nil
    case .string(let text): return text
    case let other?: throw mismatch(name, "a string", other)
    }
  }

  /// Returns the whole number called `name`.
  func integer(_ name: String) throws(LineFault) -> Int? {
    switch member(name) {
    case nil: return nil
    case .int64(let number): return Int(number)
    case let other?: throw mismatch(name, "a whole number", other)
    }
  }

  /// Returns the Boolean called `name`.
  func bool(_ name: String) throws(LineFault) -> Bool? {
    switch member(name) {
    case nil: return nil
    case .bool(let bool): return bool
    case let other?: throw mismatch(name, "true or false", other)
    }
  }

  /// Returns the texts called `name`.
  func texts(_ name: String) throws(LineFault) -> [String]? {
    guard let member = member(name) else { return nil }
    guard case .array(let elements) = member else { throw mismatch(name, "an array", member) }
    var texts: [String] = []
    for element in elements {
      guard case .string(let text) = element else {
        throw mismatch(name, "an array of strings only", element)
      }
      texts.append(text)
    }
    return texts
  }

  /// Returns the bytes called `name`, which are in hexadecimal.
  func bytes(_ name: String) throws(LineFault) -> [UInt8]? {
    guard let text = try text(name) else { return nil }
    return try bytes(name, text)
  }

  /// Returns the keys called `name`, which are in hexadecimal.
  func keys(_ name: String) throws(LineFault) -> [Key]? {
    guard let texts = try texts(name) else { return nil }
    var keys: [Key] = []
    for text in texts { keys.append(Key(try bytes(name, text))) }
    return keys
  }

  private func bytes(_ name: String, _ text: String) throws(LineFault) -> [UInt8] {
    guard let bytes = Hexadecimal.bytes(text) else {
      throw LineFault(
        reason: "\(name) is not an even number of hexadecimal digits: \(DisplayText.escaped(text))")
    }
    return bytes
  }

  /// Returns the text called `name`, which must be present.
  func required(_ name: String) throws(LineFault) -> String {
    guard let text = try text(name) else {
      throw LineFault(reason: "a line of type \(type) needs \"\(name)\"")
    }
    return text
  }

  private func mismatch(_ name: String, _ wanted: String, _ found: Value) -> LineFault {
    LineFault(reason: "\(name) must be \(wanted), not \(found.jsonKind)")
  }
}

/// Values as JSON has them.
extension Value {
  /// The maximum depth of JSON in reports, where each level of a value takes two.
  private static let maximumJSONDepth = 512

  /// Reads a line of a report, so that equal content makes equal values: members are sorted by name,
  /// and whole numbers are integers.
  init(reportJSON bytes: [UInt8]) throws(JSONScanner.Fault) {
    var scanner = JSONScanner(bytes, maximumDepth: Self.maximumJSONDepth)
    let value = try scanner.value()
    try scanner.end()
    if let obstacle = scanner.takeObstacle() { throw obstacle }
    if let twice = scanner.duplicates.first(where: { value.member($0.name) != nil }) {
      throw JSONScanner.Fault(
        offset: twice.offset, reason: "the field \(Value.quoted(twice.name)) occurs more than once")
    }
    self = value.normalized
  }

  private var normalized: Value {
    switch self {
    case .double(let number): Int64(exactly: number).map { .int64($0) } ?? self
    case .array(let values): .array(values.map(\.normalized))
    case .dictionary(let members):
      .dictionary(
        members.map { Member($0.name, $0.value.normalized) }
          .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
    default: self
    }
  }

  /// Returns the member called `name` of an object.
  func member(_ name: String) -> Value? {
    guard case .dictionary(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// The kind of the value, for people to read.
  var jsonKind: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .string: "a string"
    case .array: "an array"
    case .dictionary: "an object"
    default: "a number"
    }
  }
}
