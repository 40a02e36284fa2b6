import KVModel

/// A value as JSON text in which the types are not stated.
struct PlainJSON {
  /// The text.
  private(set) var text = ""
  /// Whether bytes are in it as base64.
  private(set) var hasBytes = false

  /// The text of `value`; nothing where it holds what JSON has no form for: NaN, ±∞, two members of one
  /// name, containers in each other beyond ``Value/maximumDepth``.
  init?(_ value: Value) {
    guard write(value, depth: 0) else { return nil }
  }

  private mutating func write(_ value: Value, depth: Int) -> Bool {
    guard depth <= Value.maximumDepth else { return false }
    switch value {
    case .bool(let bool): text += bool ? "true" : "false"
    case .int32(let number): text += String(number)
    case .uint32(let number): text += String(number)
    case .int64(let number): text += String(number)
    case .uint64(let number): text += String(number)
    case .float(let number):
      guard number.isFinite else { return false }
      text += number.description
    case .double(let number), .date(let number):
      guard number.isFinite else { return false }
      text += number.description
    case .string(let string), .json(let string): write(string)
    case .bytes(let bytes), .keyedArchive(_, let bytes), .object(_, let bytes), .raw(let bytes):
      hasBytes = true
      write(Fitting.base64(bytes))
    case .null: text += "null"
    case .list(let list): return write(list) { $0.write($1, depth: depth + 1) }
    case .array(let values): return write(values) { $0.write($1, depth: depth + 1) }
    case .set(let texts):
      return write(texts) { $0.write($1.map { .string($0) } ?? .null, depth: depth + 1) }
    case .dictionary(let members): return write(members, depth: depth)
    }
    return true
  }

  private mutating func write<Elements: Sequence>(
    _ elements: Elements, _ body: (inout Self, Elements.Element) -> Bool
  ) -> Bool {
    text += "["
    var isFirst = true
    for element in elements {
      if !isFirst { text += "," }
      isFirst = false
      guard body(&self, element) else { return false }
    }
    text += "]"
    return true
  }

  private mutating func write(_ members: [Value.Member], depth: Int) -> Bool {
    guard Fitting.unique(members.map(\.name)).count == members.count else { return false }
    text += "{"
    for (index, member) in members.enumerated() {
      if index > 0 { text += "," }
      write(member.name)
      text += ":"
      guard write(member.value, depth: depth + 1) else { return false }
    }
    text += "}"
    return true
  }

  private mutating func write(_ string: String) {
    text += "\""
    for character in string.unicodeScalars {
      switch character {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\u{0}"..<" ":
        let digits = String(character.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(character)
      }
    }
    text += "\""
  }
}
