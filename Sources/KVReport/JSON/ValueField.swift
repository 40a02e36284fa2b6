import KVBytes
import KVModel

/// A member of a dictionary: its name and its value.
private struct MemberField: Encodable {
  let member: Value.Member

  private enum CodingKeys: String, CodingKey { case name, value }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(member.name, forKey: .name)
    try container.encode(ValueField(member.value), forKey: .value)
  }
}

/// A typed value as an object: its kind, and the value in the closest type that JSON has.
///
/// Bytes are hexadecimal under `hex`; what is not finite is a string.
struct ValueField: Encodable {
  private let value: Value

  init(_ value: Value) { self.value = value }

  private enum CodingKeys: String, CodingKey {
    case kind, value, hex
    case className = "class"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(value.kind, forKey: .kind)
    switch value {
    case .bool(let bool): try container.encode(bool, forKey: .value)
    case .int32(let number): try container.encode(number, forKey: .value)
    case .uint32(let number): try container.encode(number, forKey: .value)
    case .int64(let number): try container.encode(number, forKey: .value)
    case .uint64(let number): try container.encode(number, forKey: .value)
    case .float(let number): try container.encode(number, forKey: .value)
    case .double(let number): try container.encode(number, forKey: .value)
    case .string(let text), .json(let text): try container.encode(text, forKey: .value)
    case .bytes(let bytes): try container.encode(Hexadecimal.text(bytes), forKey: .hex)
    case .date(let seconds): try container.encode(seconds, forKey: .value)
    case .keyedArchive(let className, let bytes):
      try container.encodeIfPresent(className, forKey: .className)
      try container.encode(Hexadecimal.text(bytes), forKey: .hex)
    case .list(let values):
      try container.encode(values.map { ValueField($0) }, forKey: .value)
    case .set(let texts): try container.encode(texts, forKey: .value)
    case .array(let values): try container.encode(values.map { ValueField($0) }, forKey: .value)
    case .dictionary(let members):
      try container.encode(members.map { MemberField(member: $0) }, forKey: .value)
    case .object(let className, let bytes):
      try container.encode(className, forKey: .className)
      try container.encode(Hexadecimal.text(bytes), forKey: .hex)
    case .null: try container.encodeNil(forKey: .value)
    case .raw(let bytes): try container.encode(Hexadecimal.text(bytes), forKey: .hex)
    }
  }
}
