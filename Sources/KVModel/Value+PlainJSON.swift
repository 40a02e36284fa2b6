import KVBytes

extension Value {
  /// The value as plain JSON, without its type.
  ///
  /// Bytes are written in base64, dates as seconds since 1970, and a set as an array.
  ///
  /// A float is written as the double with the same value, because JSON readers use doubles: 0.1 as
  /// a float is 0.10000000149011612.
  ///
  /// The result is `nil` for NaN and the infinities, which JSON cannot express, and for a
  /// dictionary in which a name occurs twice.
  ///
  /// Reference: RFC 8259.
  package var plainJSON: String? {
    var bytes: [UInt8] = []
    return append(to: &bytes) ? String(decoding: bytes, as: UTF8.self) : nil
  }

  /// Appends the value as plain JSON; returns whether there is such JSON, otherwise what it appended
  /// means nothing.
  private func append(to bytes: inout [UInt8]) -> Bool {
    switch self {
    case .bool(let bool): JSONBytes.append("\(bool)", to: &bytes)
    case .int32(let number): JSONBytes.append(Int(number), to: &bytes)
    case .uint32(let number): JSONBytes.append(Int(number), to: &bytes)
    case .int64(let number): JSONBytes.append(Int(number), to: &bytes)
    case .uint64(let number): JSONBytes.append("\(number)", to: &bytes)
    case .float(let number): return Value.double(Double(number)).append(to: &bytes)
    case .double(let number), .date(let number):
      guard number.isFinite else { return false }
      JSONBytes.append(number.digits, to: &bytes)
    case .string(let text), .json(let text): JSONBytes.append(quoted: text, to: &bytes)
    case .bytes(let data), .raw(let data), .keyedArchive(_, let data), .object(_, let data):
      JSONBytes.append(quoted: Base64.text(data), to: &bytes)
    case .list(let list): return Value.append(list, to: &bytes)
    case .set(let texts):
      return Value.append(texts.lazy.map { $0.map { .string($0) } ?? .null }, to: &bytes)
    case .array(let values): return Value.append(values, to: &bytes)
    case .dictionary(let members): return Value.append(members, to: &bytes)
    case .null: JSONBytes.append("null", to: &bytes)
    }
    return true
  }

  private static func append(_ values: some Sequence<Value>, to bytes: inout [UInt8]) -> Bool {
    bytes.append(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      guard value.append(to: &bytes) else { return false }
    }
    bytes.append(UInt8(ascii: "]"))
    return true
  }

  private static func append(_ members: [Member], to bytes: inout [UInt8]) -> Bool {
    guard Set(members.map { ByteText($0.name) }).count == members.count else { return false }
    bytes.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      JSONBytes.append(quoted: member.name, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      guard member.value.append(to: &bytes) else { return false }
    }
    bytes.append(UInt8(ascii: "}"))
    return true
  }

  /// The largest number of characters of a name that a message includes.
  ///
  /// There can be as many messages as a file has bytes.
  private static let mentionedCount = 100

  /// Returns `name` in quotation marks for a message, shortened if it is long.
  package static func mentioned(_ name: String) -> String {
    let start = name.unicodeScalars.prefix(mentionedCount + 1)
    guard start.count > mentionedCount else { return quoted(name) }
    return quoted(String(start.dropLast()) + "…")
  }

  /// Returns `key` for a message: as a JSON string, or in hexadecimal if it is not text.
  package static func mentioned(_ key: Key) -> String {
    key.text.map { mentioned($0) } ?? "0x" + Hexadecimal.text(key.bytes.prefix(mentionedCount))
  }

  /// Returns `text` as a JSON string.
  package static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    JSONBytes.append(quoted: text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
