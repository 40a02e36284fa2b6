package import KVModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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
  package enum Field: String, CodingKey {
    case type, value, bits, base64, name
    case className = "class"
  }

  /// The value.
  package let value: Value

  /// Creates the envelope of `value`.
  package init(_ value: Value) { self.value = value }
}

extension ValueEnvelope: Encodable {
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Field.self)
    try encode(into: &container)
  }

  /// Writes the fields into an object that may have other fields.
  package func encode(into container: inout KeyedEncodingContainer<Field>) throws {
    try container.encode(value.kind.rawValue, forKey: .type)
    switch value {
    case .list(let list):
      try container.encode(list.map { ScalarEnvelope($0) }, forKey: .value)
    case .set(let texts): try container.encode(texts, forKey: .value)
    case .array(let values):
      try container.encode(values.map { ValueEnvelope($0) }, forKey: .value)
    case .dictionary(let members):
      try container.encode(members.map { MemberEnvelope(member: $0) }, forKey: .value)
    case .null: try container.encodeNil(forKey: .value)
    case .keyedArchive(let className, let bytes):
      try container.encodeIfPresent(className, forKey: .className)
      try container.encode(Data(bytes).base64EncodedString(), forKey: .base64)
    case .object(let className, let bytes):
      try container.encode(className, forKey: .className)
      try container.encode(Data(bytes).base64EncodedString(), forKey: .base64)
    case .bytes(let bytes), .raw(let bytes):
      try container.encode(Data(bytes).base64EncodedString(), forKey: .base64)
    case .float(let number) where ScalarEnvelope.needsBits(number):
      try container.encode(ScalarEnvelope(value), forKey: .bits)
    case .double(let number) where ScalarEnvelope.needsBits(number),
      .date(let number) where ScalarEnvelope.needsBits(number):
      try container.encode(ScalarEnvelope(value), forKey: .bits)
    default: try container.encode(ScalarEnvelope(value), forKey: .value)
    }
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
private struct MemberEnvelope: Codable {
  let member: Value.Member

  init(member: Value.Member) { self.member = member }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: ValueEnvelope.Field.self)
    try container.encode(member.name, forKey: .name)
    try ValueEnvelope(member.value).encode(into: &container)
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: ValueEnvelope.Field.self)
    member = Value.Member(
      try container.decode(String.self, forKey: .name), try ValueEnvelope(from: decoder).value)
  }
}
