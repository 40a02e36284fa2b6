import KVBytes
import KVConversion
import KVModel
import KVSystem
import SystemPackage

/// Text from a file, made safe and short for a terminal.
///
/// Nothing that moves the cursor, changes colors or reverses the writing direction passes through.
enum DisplayText {
  /// Returns `text` with everything but plain characters escaped, cut to about `limit` characters.
  static func escaped(_ text: String, limit: Int = 60, quotes: Bool = true) -> String {
    // Most texts are words, numbers and names.
    if text.withBytes({ isWords($0.extracting(first: min(limit, $0.count))) }) {
      return text.utf8.count <= limit ? text : String(Substring(text.utf8.prefix(limit))) + "…"
    }
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
          result += escape(scalar)
        }
      }
    }
    return result
  }

  /// Returns `scalar` escaped as in Swift.
  static func escape(_ scalar: Unicode.Scalar) -> String {
    "\\u{\(String(scalar.value, radix: 16))}"
  }

  /// Returns a path in which `\xNN` represents a byte that is not UTF-8.
  static func path(_ path: FilePath?) -> String {
    guard let path else { return "" }
    return escaped(path.text, limit: 400, quotes: path.isUTF8)
  }

  /// Returns `bytes`, a piece of JSON that ends with a whole character, with everything in its
  /// strings that is not plain escaped as `\u` and four digits.
  static func escapedJSON(_ bytes: [UInt8]) -> [UInt8] {
    // ASCII control characters except DEL are escaped in every report.
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

  /// Returns whether all of `bytes` are ASCII characters that are shown as they are everywhere.
  static func isWords(_ bytes: Span<UInt8>) -> Bool {
    bytes.indices.allSatisfy { index in
      let byte = bytes[index]
      return byte >= 0x20 && byte < 0x7f && byte != UInt8(ascii: "\"")
        && byte != UInt8(ascii: "\\")
    }
  }

  /// Returns whether `scalar` is shown as it is: neither invisible nor interpreted by a terminal.
  static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value >= 0x20 && scalar.value < 0x7f }
    return switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator:
      false
    default: true
    }
  }

  /// Returns when an entry expires, in seconds since 1970, or has expired by `clock`, to follow its
  /// value.
  static func expiry(at time: UInt32, by clock: UInt32) -> String {
    "  (\(time <= clock ? "expired" : "expires") \(UTCDate(Double(time)).text))"
  }

  /// Returns the text of a key, in quotation marks if it is empty, or its bytes if it is not text.
  static func key(_ key: Key, limit: Int = 60) -> String {
    if key.bytes.isEmpty { return "\"\"" }
    if let text = key.text { return escaped(text, limit: limit) }
    let hex = Hexadecimal.text(key.bytes.prefix(limit / 2))
    return "0x" + hex + (key.bytes.count > limit / 2 ? "…" : "")
  }

  /// Appends the text of ``key(_:limit:)`` to `line`; of most keys, no string is made.
  static func write(_ key: Key, limit: Int = 60, to line: inout [UInt8]) {
    if !key.bytes.isEmpty, key.bytes.count <= limit, isWords(key.bytes.storageSpan) {
      line.append(contentsOf: key.bytes)
    } else {
      line.append(utf8Of: self.key(key, limit: limit))
    }
  }

  /// Returns a value with its kind.
  static func value(_ value: Value, limit: Int = 60) -> String {
    "\(value.kind) \(content(value, limit: limit))"
  }

  /// Returns two values with their kinds, of which the beginnings are alike: each from shortly before
  /// the first character in which they differ.
  static func differingParts(_ first: Value, _ second: Value) -> (String, String) {
    let (one, other) = (whole(first), whole(second))
    let same = zip(one, other).prefix { $0 == $1 }.count
    func part(_ text: [Unicode.Scalar], of value: Value) -> String {
      let shown = text.dropFirst(max(0, same - 20)).prefix(60)
      var result = String(String.UnicodeScalarView(shown))
      if shown.startIndex > 0 { result = "…" + result }
      return "\(value.kind) \(result)" + (shown.endIndex < text.endIndex ? "…" : "")
    }
    return (part(one, of: first), part(other, of: second))
  }

  /// Returns all of a value.
  private static func whole(_ value: Value) -> [Unicode.Scalar] {
    let text =
      switch value {
      case .keyedArchive(_, let bytes), .object(_, let bytes): "0x" + Hexadecimal.text(bytes)
      default: content(value, limit: .max)
      }
    return Array(text.unicodeScalars)
  }

  /// Returns a reading's value with its kind, as if it were complete.
  static func value(_ reading: Reading, limit: Int = 60) -> String {
    var line: [UInt8] = []
    write(reading, limit: limit, to: &line)
    return String(decoding: line, as: UTF8.self)
  }

  /// Appends a reading's value with its kind to `line`, as if it were complete.
  static func write(_ reading: Reading, limit: Int = 60, to line: inout [UInt8]) {
    line.append(utf8Of: reading.value.kind.rawValue)
    line.append(UInt8(ascii: " "))
    writeContent(reading, limit: limit, to: &line)
  }

  /// Returns a reading's value without its kind, as if it were complete.
  static func content(_ reading: Reading, limit: Int) -> String {
    var line: [UInt8] = []
    writeContent(reading, limit: limit, to: &line)
    return String(decoding: line, as: UTF8.self)
  }

  private static func writeContent(_ reading: Reading, limit: Int, to line: inout [UInt8]) {
    switch reading.value {
    case .string(let text), .json(let text):
      line.append(UInt8(ascii: "\""))
      line.append(utf8Of: escaped(text, limit: limit))
      line.append(UInt8(ascii: "\""))
    default: line.append(utf8Of: content(reading.value, count: reading.count, limit: limit))
    }
  }

  static func content(_ value: Value, count: Int? = nil, limit: Int) -> String {
    switch value {
    case .bool(let bool): bool ? "true" : "false"
    case .int32(let number): String(number)
    case .uint32(let number): String(number)
    case .int64(let number): String(number)
    case .uint64(let number): String(number)
    case .float(let number): number.digits
    case .double(let number): number.digits
    case .string(let text), .json(let text): "\"\(escaped(text, limit: limit))\""
    case .bytes(let bytes): hex(bytes, count: count, limit: limit)
    case .date(let seconds): UTCDate(seconds).text
    case .keyedArchive(let className, let bytes):
      "\(className.map { escaped($0, limit: limit) } ?? "of unknown class"), \((count ?? bytes.count).inBytes)"
    case .list(let values):
      "[" + some(values, limit, count: count) { content($0, limit: max(8, part(limit))) } + "]"
    case .set(let texts):
      "{"
        + some(texts, limit, count: count) {
          $0.map { "\"\(escaped($0, limit: part(limit)))\"" } ?? "null"
        } + "}"
    case .array(let values): "[" + some(values, limit) { content($0, limit: part(limit)) } + "]"
    case .dictionary(let members):
      "{"
        + some(members, limit) {
          "\(escaped($0.name, limit: part(limit))): \(content($0.value, limit: part(limit)))"
        } + "}"
    case .object(let className, let bytes):
      "\(escaped(className, limit: limit)), \((count ?? bytes.count).inBytes)"
    case .null: "null"
    case .raw(let bytes): hex(bytes, count: count, limit: limit)
    }
  }

  /// Returns the limit for an element of a container with `limit` characters; unlimited if the
  /// container is.
  static func part(_ limit: Int) -> Int { limit == .max ? .max : limit / 4 }

  static func some<Elements: Collection>(
    _ elements: Elements, _ limit: Int, count: Int? = nil, _ text: (Elements.Element) -> String
  ) -> String {
    guard limit > 4 else { return "…" }
    let count = count ?? elements.count
    let shown = limit == .max ? elements.count : 8
    return elements.prefix(shown).map(text).joined(separator: ", ")
      + (count > shown ? ", … \(count.grouped) total" : "")
  }

  private static func hex(_ bytes: [UInt8], count: Int?, limit: Int) -> String {
    let shown = bytes.prefix(limit / 2)
    let count = count ?? bytes.count
    return "0x" + Hexadecimal.text(shown)
      + (count > shown.count ? "… \(count.inBytes)" : "")
  }
}
