import KVBytes
import KVModel

/// The plain form of JSON, as people write it.
enum PlainJSON {
  /// Returns the value that is read back from the plain form of `value`.
  static func value(of value: Value) -> Value {
    switch value {
    case .bool, .string, .int64, .null: return value
    case .int32(let number): return .int64(Int64(number))
    case .uint32(let number): return .int64(Int64(number))
    case .uint64(let number): return integer(number)
    case .float(let number): return .double(Double(number))
    case .double(let number), .date(let number): return .double(number)
    case .json(let text): return .string(text)
    case .bytes(let bytes), .raw(let bytes), .keyedArchive(_, let bytes), .object(_, let bytes):
      return .string(Base64.text(bytes))
    case .list(let list): return .array(list.map(self.value))
    case .set(let texts): return .array(texts.map { $0.map { .string($0) } ?? .null })
    case .array(let values): return .array(values.map(self.value))
    case .dictionary(let members):
      return .dictionary(
        members.map { Value.Member($0.name, self.value(of: $0.value)) })
    }
  }

  /// Returns whether a dictionary in `value` repeats a name.
  static func repeatsNames(_ value: Value) -> Bool {
    switch value {
    case .array(let values): values.contains(where: repeatsNames)
    case .dictionary(let members):
      Set(members.map { ByteText($0.name) }).count < members.count
        || members.contains { repeatsNames($0.value) }
    default: false
    }
  }

  private static func integer(_ number: UInt64) -> Value {
    Int64(exactly: number).map { .int64($0) } ?? .uint64(number)
  }

  /// Returns whether the plain form of `value` shows all of its content.
  static func isSameToPeople(_ value: Value) -> Bool {
    switch value {
    case .bool, .string, .int32, .uint32, .int64, .uint64, .float, .double, .null, .json: true
    case .list(.bytes), .bytes, .raw, .keyedArchive, .object, .date, .set: false
    case .list(let list): list.allSatisfy(isSameToPeople)
    case .array(let values): values.allSatisfy(isSameToPeople)
    case .dictionary(let members): members.allSatisfy { isSameToPeople($0.value) }
    }
  }
}
