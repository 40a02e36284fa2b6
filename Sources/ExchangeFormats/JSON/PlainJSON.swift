import KVBytes
import KVModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A value of JSON as people write it, and the type that it is taken for.
struct PlainJSON: Decodable {
  /// The value.
  let value: Value

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard decoder.codingPath.count <= Value.maximumDepth else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "nested too deeply")
    }
    if container.decodeNil() {
      value = .null
    } else if let bool = try? container.decode(Bool.self) {
      value = .bool(bool)
    } else if let number = try? container.decode(Int64.self) {
      value = .int64(number)
    } else if let number = try? container.decode(UInt64.self) {
      value = .uint64(number)
    } else if let number = try? container.decode(Double.self) {
      value = .double(number)
    } else if let text = try? container.decode(String.self) {
      value = .string(text)
    } else if let elements = try? container.decode([PlainJSON].self) {
      value = .array(elements.map(\.value))
    } else {
      let members = try container.decode([String: PlainJSON].self)
      value = .dictionary(
        members.sorted { $0.key < $1.key }.map { Value.Member($0.key, $0.value.value) })
    }
  }

  /// What is read back where the plain form of `value` is written.
  static func value(of value: Value) -> Value {
    switch value {
    case .bool, .string, .int64, .null: return value
    case .int32(let number): return .int64(Int64(number))
    case .uint32(let number): return .int64(Int64(number))
    case .uint64(let number): return integer(number)
    case .float(let number):
      // The shortest decimal of a float is another double.
      return self.number(Double(number.description) ?? Double(number))
    case .double(let number), .date(let number): return self.number(number)
    case .json(let text): return .string(text)
    case .bytes(let bytes), .raw(let bytes), .keyedArchive(_, let bytes), .object(_, let bytes):
      return .string(Base64.text(bytes))
    case .list(let list): return .array(list.map(self.value))
    case .set(let texts): return .array(texts.map { $0.map { .string($0) } ?? .null })
    case .array(let values): return .array(values.map(self.value))
    case .dictionary(let members):
      return .dictionary(
        members.sorted { $0.name < $1.name }
          .map { Value.Member($0.name, self.value(of: $0.value)) })
    }
  }

  /// JSON does not tell 1.0 from 1.
  private static func number(_ number: Double) -> Value {
    if let whole = Int64(exactly: number) { return .int64(whole) }
    return UInt64(exactly: number).map { .uint64($0) } ?? .double(number)
  }

  private static func integer(_ number: UInt64) -> Value {
    Int64(exactly: number).map { .int64($0) } ?? .uint64(number)
  }

  /// Whether the plain form of `value` says all that there is to it.
  static func isSameToPeople(_ value: Value) -> Bool {
    switch value {
    case .bool, .string, .int32, .uint32, .int64, .uint64, .null, .json: true
    case .float(let number): !(number.isZero && number.sign == .minus)
    case .double(let number): !(number.isZero && number.sign == .minus)
    case .list(.bytes), .bytes, .raw, .keyedArchive, .object, .date, .set: false
    case .list(let list): list.allSatisfy(isSameToPeople)
    case .array(let values): values.allSatisfy(isSameToPeople)
    case .dictionary(let members): members.allSatisfy { isSameToPeople($0.value) }
    }
  }

  /// How many members the outermost object of a document has, those of the same name counted apart.
  ///
  /// - Precondition: the document is well-formed.
  static func memberCount(of image: FileImage) -> Int {
    var count = 0
    var depth = 0
    var isInString = false
    var isEscaped = false
    for byte in image.bytes {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ":") where depth == 1: count += 1
      default: break
      }
    }
    return count
  }
}
