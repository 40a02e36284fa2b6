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
    switch self {
    case .bool(let bool): "\(bool)"
    case .int32(let number): "\(number)"
    case .uint32(let number): "\(number)"
    case .int64(let number): "\(number)"
    case .uint64(let number): "\(number)"
    case .float(let number): number.isFinite ? Double(number).digits : nil
    case .double(let number), .date(let number): number.isFinite ? number.digits : nil
    case .string(let text), .json(let text): Value.quoted(text)
    case .bytes(let bytes), .raw(let bytes), .keyedArchive(_, let bytes), .object(_, let bytes):
      Value.quoted(Base64.text(bytes))
    case .list(let list): Value.array(list.map(\.plainJSON))
    case .set(let texts): Value.array(texts.map { $0.map(Value.quoted) ?? "null" })
    case .array(let values): Value.array(values.map(\.plainJSON))
    case .dictionary(let members): Value.object(members)
    case .null: "null"
    }
  }

  private static func array(_ elements: [String?]) -> String? {
    let texts = elements.compactMap(\.self)
    return texts.count == elements.count ? "[" + texts.joined(separator: ",") + "]" : nil
  }

  private static func object(_ members: [Member]) -> String? {
    let texts = members.compactMap { member in
      member.value.plainJSON.map { quoted(member.name) + ":" + $0 }
    }
    let names = Set(members.map { ByteText($0.name) })
    return texts.count == members.count && names.count == members.count
      ? "{" + texts.joined(separator: ",") + "}" : nil
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
