import KVBytes
package import KVModel

/// A typed value in lossless JSON: its type, and the value in the closest type that JSON has.
///
///     type                          field   content
///     bool                          value   true or false
///     int32, uint32                 value   number
///     int64, uint64                 value   number; a string beyond ±2⁵³, where readers round
///     float, double, date           value   number; a date in seconds since 1970
///                                   bits    instead, for NaN, ±∞ and -0: IEEE 754, hexadecimal
///     string, json                  value   string
///     bytes, raw                    base64  string
///     keyed-archive, object         base64  string
///                                   class   string; absent if unknown
///     list<…>                       value   array of elements, each like the `value`, `bits` or
///                                           `base64` of its type
///     string-set                    value   array of strings and null
///     array                         value   array of such objects
///     dictionary                    value   array of such objects, each with its `name`
///     null                          value   null
///
/// Reference: `Docs/CONVERSION.md` § JSON.
package struct ValueEnvelope: Hashable {
  /// The fields of the object.
  enum Field: String, CodingKey {
    case type, value, bits, base64, name
    case className = "class"
  }

  /// The value.
  package let value: Value

  /// Creates the envelope of `value`.
  package init(_ value: Value) { self.value = value }
}

extension ValueEnvelope {
  /// The envelope as JSON, with its fields sorted by name.
  package var json: String { JSONLine.text { $0.envelope(of: value) } }
}

extension JSONLine {
  /// Writes `value` as the object that ``ValueEnvelope`` describes, with a name if it has one.
  fileprivate mutating func envelope(of value: Value, named name: String? = nil) {
    object { line in
      line.data(of: value)
      line.className(of: value)
      if let name { line.member("name", name) }
      line.typeAndContent(of: value)
    }
  }

  /// Writes the field `base64` or `bits`, if the value has it.
  mutating func data(of value: Value) {
    switch value {
    case .bytes, .raw, .keyedArchive, .object: member("base64") { $0.element(value) }
    case _ where ScalarEnvelope.needsBits(value): member("bits") { $0.element(value) }
    default: break
    }
  }

  /// Writes the field `class`, if the value has it.
  mutating func className(of value: Value) {
    switch value {
    case .keyedArchive(let name?, _), .object(let name, _): member("class", name)
    default: break
    }
  }

  /// Writes the field `type`, and the field `value` if the value has it.
  mutating func typeAndContent(of value: Value) {
    member("type", value.kind.rawValue)
    switch value {
    case .bytes, .raw, .keyedArchive, .object: break
    case _ where ScalarEnvelope.needsBits(value): break
    default: member("value") { $0.element(value) }
    }
  }

  /// Writes a value whose type is stated separately.
  private mutating func element(_ value: Value) {
    switch value {
    case .bool(let bool): literal(bool)
    case .int32(let number): self.number(number)
    case .uint32(let number): self.number(number)
    case .int64(let number): exact(number)
    case .uint64(let number): exact(number)
    case .float(let number) where ScalarEnvelope.needsBits(value):
      bits(UInt64(number.bitPattern), digits: 8)
    case .double(let number) where ScalarEnvelope.needsBits(value),
      .date(let number) where ScalarEnvelope.needsBits(value):
      bits(number.bitPattern, digits: 16)
    case .float(let number): self.number(number)
    case .double(let number), .date(let number): self.number(number)
    case .string(let text), .json(let text): self.text(text)
    case .bytes(let bytes), .raw(let bytes), .keyedArchive(_, let bytes), .object(_, let bytes):
      text(Base64.text(bytes))
    case .list(let list): array(list) { $0.element($1) }
    case .set(let texts): array(texts) { $0.text($1) }
    case .array(let values): array(values) { $0.envelope(of: $1) }
    case .dictionary(let members): array(members) { $0.envelope(of: $1.value, named: $1.name) }
    case .null: null()
    }
  }

  /// Writes the bits of a number, with leading zeros.
  private mutating func bits(_ bits: UInt64, digits: Int) {
    let text = String(bits, radix: 16)
    self.text(String(repeating: "0", count: digits - text.count) + text)
  }

  /// Writes an integer, as a string if not every reader distinguishes it from its neighbors.
  private mutating func exact(_ number: some FixedWidthInteger) {
    if ScalarEnvelope.isExact(number) { self.number(number) } else { text("\(number)") }
  }
}

extension ValueEnvelope: Decodable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Field.self)
    // Each level adds two steps to the path.
    guard decoder.codingPath.count <= 2 * Value.maximumDepth + 4 else {
      throw DecodingError.dataCorruptedError(
        forKey: .value, in: container, debugDescription: "nested too deeply")
    }
    let name = try container.decode(String.self, forKey: .type)
    guard let kind = Value.Kind(rawValue: name) else {
      throw DecodingError.dataCorruptedError(
        forKey: .type, in: container, debugDescription: "there is no type \"\(name)\"")
    }
    value = try ValueFields(container: container, kind: kind).value()
  }
}

/// The fields of a value of type `kind`.
private struct ValueFields {
  let container: KeyedDecodingContainer<ValueEnvelope.Field>
  let kind: Value.Kind

  func value() throws -> Value {
    switch kind {
    case .stringSet: .set(try container.decode([String?].self, forKey: .value))
    case .array:
      .array(try container.decode([ValueEnvelope].self, forKey: .value).map(\.value))
    case .dictionary:
      .dictionary(try container.decode([MemberEnvelope].self, forKey: .value).map(\.member))
    case .null: .null
    case .keyedArchive:
      .keyedArchive(
        className: try container.decodeIfPresent(String.self, forKey: .className), try data())
    case .object:
      .object(className: try container.decode(String.self, forKey: .className), try data())
    case .bytes, .raw: try scalar(.base64)
    case .float, .double, .date: try scalar(container.contains(.bits) ? .bits : .value)
    case _ where kind.element != nil: try list()
    default: try scalar(.value)
    }
  }

  private func scalar(_ field: ValueEnvelope.Field) throws -> Value {
    let nested = try container.superDecoder(forKey: field)
    return try ScalarEnvelope.decode(
      kind, from: nested.singleValueContainer(), in: field == .bits ? .bits : .value)
  }

  private func data() throws -> [UInt8] {
    guard case .bytes(let bytes) = try scalar(.base64) else {
      throw ScalarEnvelope.unknown(kind, container.codingPath)
    }
    return bytes
  }

  private func list() throws -> Value {
    let nested = try container.superDecoder(forKey: .value)
    return .list(try ListEnvelope.decode(kind, from: nested.unkeyedContainer()))
  }
}

/// A member of a dictionary, with the fields of its value and its name.
private struct MemberEnvelope: Decodable {
  let member: Value.Member

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: ValueEnvelope.Field.self)
    member = Value.Member(
      try container.decode(String.self, forKey: .name), try ValueEnvelope(from: decoder).value)
  }
}
