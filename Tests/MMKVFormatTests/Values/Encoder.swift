import KVModel

/// Encodes values as the engine's API does.
enum Encoder {
  static func varint(_ number: UInt64) -> [UInt8] {
    number < 0x80
      ? [UInt8(number)] : [UInt8(number & 0x7f) | 0x80] + varint(number >> 7)
  }

  static func integer(_ number: some BinaryInteger) -> [UInt8] {
    varint(UInt64(truncatingIfNeeded: number))
  }

  static func fixed(_ number: some FixedWidthInteger & UnsignedInteger) -> [UInt8] {
    stride(from: 0, to: number.bitWidth, by: 8).map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  static func float(_ number: Float) -> [UInt8] { fixed(number.bitPattern) }

  static func double(_ number: Double) -> [UInt8] { fixed(number.bitPattern) }

  static func bytes(_ content: some Collection<UInt8>) -> [UInt8] {
    varint(UInt64(content.count)) + content
  }

  static func texts(_ elements: [String]) -> [UInt8] { bytes(elements.flatMap { bytes($0.utf8) }) }

  static func encode(_ value: Value) -> [UInt8] {
    switch value {
    case .bool(let flag): [flag ? 1 : 0]
    case .int32(let number): integer(number)
    case .uint32(let number): integer(number)
    case .int64(let number): integer(number)
    case .uint64(let number): integer(number)
    case .float(let number): float(number)
    case .double(let number), .date(let number): double(number)
    case .string(let text), .json(let text): bytes(text.utf8)
    case .bytes(let content): bytes(content)
    case .keyedArchive(_, let content): content
    case .list(.string(let texts)): self.texts(texts)
    case .list(let list): bytes(list.flatMap(encode))
    case .set, .array, .dictionary, .object, .null, .raw:
      preconditionFailure("the engine has no \(value.kind)")
    }
  }

  /// Returns whether `reading` has the type and value that `value` was stored as.
  ///
  /// Equal integers, and empty lists, have the same bytes in all of their types. The bytes are
  /// compared, so that NaN equals itself and −0 does not equal 0.
  static func isReading(_ reading: Value, of value: Value) -> Bool {
    guard encode(reading) == encode(value) else { return false }
    if case .list(let first) = reading, case .list(let second) = value, first.isEmpty {
      return second.isEmpty
    }
    return family(reading) == family(value)
  }

  private static func family(_ value: Value) -> String {
    ["uint32", "uint64", "int32", "int64"].reduce(value.kind.rawValue) {
      $0.replacing($1, with: "integer")
    }
  }
}
