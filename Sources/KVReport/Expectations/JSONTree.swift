import KVModel

/// A JSON value that keeps integers exact.
enum JSONTree: Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case natural(UInt64)
  case number(Double)
  case string(String)
  case array([JSONTree])
  case object([String: JSONTree])

  /// The kind of the value, for people to read.
  var kind: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .integer, .natural, .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

extension JSONTree: Equatable {
  /// Returns whether two values are the same; texts are compared by their bytes.
  static func == (first: JSONTree, second: JSONTree) -> Bool {
    switch (first, second) {
    case (.null, .null): true
    case (.bool(let one), .bool(let other)): one == other
    case (.integer(let one), .integer(let other)): one == other
    case (.natural(let one), .natural(let other)): one == other
    case (.number(let one), .number(let other)): one == other
    case (.string(let one), .string(let other)): one.hasSameBytes(as: other)
    case (.array(let one), .array(let other)): one == other
    case (.object(let one), .object(let other)): one == other
    default: false
    }
  }
}

extension JSONTree: Codable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // Failed attempts are cheap: only the right one decodes what is inside.
    if let text = try? container.decode(String.self) {
      self = .string(text)
    } else if container.decodeNil() {
      self = .null
    } else if let bool = try? container.decode(Bool.self) {
      self = .bool(bool)
    } else if let integer = try? container.decode(Int64.self) {
      self = .integer(integer)
    } else if let natural = try? container.decode(UInt64.self) {
      self = .natural(natural)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let members = try? container.decode([String: JSONTree].self) {
      self = .object(members)
    } else {
      self = .array(try container.decode([JSONTree].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let bool): try container.encode(bool)
    case .integer(let integer): try container.encode(integer)
    case .natural(let natural): try container.encode(natural)
    case .number(let number): try container.encode(number)
    case .string(let text): try container.encode(text)
    case .array(let elements): try container.encode(elements)
    case .object(let members): try container.encode(members)
    }
  }
}
