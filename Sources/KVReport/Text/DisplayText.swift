import KVBytes
import KVConversion
import KVModel
import KVSystem
import SystemPackage

/// Text from a file, made safe and short for a terminal.
///
/// Nothing that moves the cursor, changes colours or reverses the direction of writing gets through.
enum DisplayText {
  /// `text` with everything but plain characters escaped, cut to about `limit` characters.
  static func escaped(_ text: String, limit: Int = 60, quotes: Bool = true) -> String {
    var result = ""
    var count = 0
    for scalar in text.unicodeScalars {
      if count >= limit { return result + "…" }
      count += 1
      switch scalar {
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case "\\" where quotes: result += "\\\\"
      case "\"" where quotes: result += "\\\""
      default:
        if isPlain(scalar) {
          result.unicodeScalars.append(scalar)
        } else {
          result += "\\u{\(String(scalar.value, radix: 16))}"
        }
      }
    }
    return result
  }

  /// A path; `\xNN` stands for a byte that is not UTF-8.
  static func path(_ path: FilePath?) -> String {
    guard let path else { return "" }
    return escaped(path.text, limit: 400, quotes: path.isUTF8)
  }

  /// `bytes`, a piece of JSON that ends with a whole character, with everything in its strings that is
  /// not plain as `\u` and four digits.
  static func escapedJSON(_ bytes: [UInt8]) -> [UInt8] {
    // ASCII controls but DEL are escaped wherever the report goes.
    guard bytes.contains(where: { $0 >= 0x7f }) else { return bytes }
    var result = ""
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      if scalar == "\n" || isPlain(scalar) {
        result.unicodeScalars.append(scalar)
      } else {
        for unit in scalar.utf16 {
          let digits = String(unit, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
    }
    return Array(result.utf8)
  }

  /// Whether `scalar` is shown as it is: neither obeyed by a terminal nor invisible.
  static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator:
      false
    default: true
    }
  }

  /// A key: its text, or its bytes where it has none.
  static func key(_ key: Key, limit: Int = 60) -> String {
    if let text = key.text { return escaped(text, limit: limit) }
    let hex = Hexadecimal.text(key.bytes.prefix(limit / 2))
    return "0x" + hex + (key.bytes.count > limit / 2 ? "…" : "")
  }

  /// The readings that tell a person something: the likeliest, and of the others not the bytes of what
  /// can be read as text, nor its characters as a list of numbers, nor the text of JSON once more.
  static func telling(_ readings: [Reading]) -> [Reading] {
    let hasText = readings.contains { reading in
      switch reading.value {
      case .string, .json: true
      default: false
      }
    }
    guard hasText else { return readings }
    return readings.prefix(1)
      + readings.dropFirst().filter { reading in
        switch reading.value {
        case .bytes, .json: false
        case .list(.string): true
        case .list: false
        default: true
        }
      }
  }

  /// From so many bytes on, readings are made of so many only: a line shows less.
  private static let longCount = 1 << 12

  /// What a line shows of the value of `record`: the readings that tell a person something, which take
  /// little memory however long the value is.
  static func readings<S: Store>(
    of record: Record, in store: S, by typing: StoreTyping
  ) -> [Reading] {
    telling(
      typing.readings(
        of: record, in: store, keeping: record.value.count > longCount ? longCount : .max))
  }

  /// A value with its kind.
  static func value(_ value: Value, limit: Int = 60) -> String {
    "\(value.kind) \(content(value, limit: limit))"
  }

  /// A reading's value with its kind, as if all of it were there.
  static func value(_ reading: Reading, limit: Int = 60) -> String {
    "\(reading.value.kind) \(content(reading.value, count: reading.count, limit: limit))"
  }

  private static func content(_ value: Value, count: Int? = nil, limit: Int) -> String {
    switch value {
    case .bool(let bool): "\(bool)"
    case .int32(let number): "\(number)"
    case .uint32(let number): "\(number)"
    case .int64(let number): "\(number)"
    case .uint64(let number): "\(number)"
    case .float(let number): "\(number)"
    case .double(let number): "\(number)"
    case .string(let text), .json(let text): "\"\(escaped(text, limit: limit))\""
    case .bytes(let bytes): hex(bytes, count: count, limit: limit)
    case .date(let seconds): UTCDate(seconds).text
    case .keyedArchive(let className, let bytes):
      "\(className.map { escaped($0, limit: limit) } ?? "of unknown class"), \(count ?? bytes.count) bytes"
    case .list(let values):
      "[" + values.prefix(8).map { content($0, limit: max(8, limit / 4)) }.joined(separator: ", ")
        + rest(count ?? values.count) + "]"
    case .set(let texts):
      "{"
        + some(texts, limit, count: count) {
          $0.map { "\"\(escaped($0, limit: limit / 4))\"" } ?? "null"
        } + "}"
    case .array(let values): "[" + some(values, limit) { content($0, limit: limit / 4) } + "]"
    case .dictionary(let members):
      "{"
        + some(members, limit) {
          "\(escaped($0.name, limit: limit / 4)): \(content($0.value, limit: limit / 4))"
        } + "}"
    case .object(let className, let bytes):
      "\(escaped(className, limit: limit)), \(count ?? bytes.count) bytes"
    case .null: "null"
    case .raw(let bytes): hex(bytes, count: count, limit: limit)
    }
  }

  private static func some<Element>(
    _ elements: [Element], _ limit: Int, count: Int? = nil, _ text: (Element) -> String
  ) -> String {
    guard limit > 4 else { return "…" }
    return elements.prefix(8).map(text).joined(separator: ", ") + rest(count ?? elements.count)
  }

  private static func rest(_ count: Int) -> String { count > 8 ? ", … \(count) in all" : "" }

  private static func hex(_ bytes: [UInt8], count: Int?, limit: Int) -> String {
    let shown = bytes.prefix(limit / 2)
    let count = count ?? bytes.count
    return "0x" + Hexadecimal.text(shown) + (count > shown.count ? "… \(count) bytes" : "")
  }
}
