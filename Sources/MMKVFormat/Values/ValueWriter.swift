import KVBytes
package import KVModel

/// Encodes a value as the engine's API for its type does; the inverse of ``ValueParser``.
///
/// Reference: `Docs/FORMAT-MMKV.md` § Values.
package enum ValueWriter {
  /// Returns the encoding of `value`, without expiry; `nil` if MMKV has no such type.
  package static func bytes(of value: Value) -> [UInt8]? {
    var writer = ByteWriter()
    switch value {
    case .bool(let bool): writer.writeByte(bool ? 1 : 0)
    case .int32(let number): writer.writeVarint(UInt64(bitPattern: Int64(number)))
    case .uint32(let number): writer.writeVarint(UInt64(number))
    case .int64(let number): writer.writeVarint(UInt64(bitPattern: number))
    case .uint64(let number): writer.writeVarint(number)
    case .float(let number): writer.writeInteger(number.bitPattern, as: .little)
    case .double(let number), .date(let number):
      writer.writeInteger(number.bitPattern, as: .little)
    case .string(let text), .json(let text): write(Array(text.utf8), to: &writer)
    case .bytes(let bytes): write(bytes, to: &writer)
    case .keyedArchive(_, let bytes), .raw(let bytes): writer.writeBytes(bytes)
    case .list(let list): write(content(of: list), to: &writer)
    case .set(let texts):
      let known = texts.compactMap(\.self)
      guard known.count == texts.count else { return nil }
      write(content(of: .string(known)), to: &writer)
    case .array, .dictionary, .object, .null: return nil
    }
    return writer.bytes
  }

  private static func write(_ content: [UInt8], to writer: inout ByteWriter) {
    writer.writeVarint(UInt64(content.count))
    writer.writeBytes(content)
  }

  /// Returns the content of a list after its length: strings and bytes with their lengths, Booleans
  /// as one byte.
  private static func content(of list: Value.List) -> [UInt8] {
    var writer = ByteWriter()
    for element in list {
      if let bytes = bytes(of: element) { writer.writeBytes(bytes) }
    }
    return writer.bytes
  }
}
