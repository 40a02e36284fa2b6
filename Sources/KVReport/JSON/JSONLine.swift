import KVBytes
import KVModel

/// A JSON object on one line, emitted in pieces while it is written, so that a long value is never
/// in memory as text.
///
/// Members appear in the order in which they are written. The lines of a report write them sorted
/// by name.
struct JSONLine {
  private static let pieceCount = 1 << 15
  /// A size that most lines do not reach.
  private static let usualCount = 1 << 10

  private let emit: ([UInt8]) -> Void
  private var buffer: [UInt8] = []
  private var isFirst = true

  /// Writes an object with the members that `body` writes, and a line feed, to `emit`.
  ///
  /// Every piece ends with a whole character.
  static func write(to emit: @escaping ([UInt8]) -> Void, _ body: (inout JSONLine) -> Void) {
    var line = JSONLine(emit)
    line.object(body)
    line.buffer.append(UInt8(ascii: "\n"))
    line.flush()
  }

  /// Returns `value` as a JSON object.
  static func text(of value: Value) -> String {
    var bytes: [UInt8] = []
    var line = JSONLine { bytes += $0 }
    line.value(value)
    line.flush()
    return String(decoding: bytes, as: UTF8.self)
  }

  private init(_ emit: @escaping ([UInt8]) -> Void) {
    self.emit = emit
    buffer.reserveCapacity(JSONLine.usualCount)
  }

  // MARK: Structure

  /// Writes an object with the members that `body` writes.
  mutating func object(_ body: (inout JSONLine) -> Void) {
    raw("{")
    isFirst = true
    body(&self)
    raw("}")
    isFirst = false
  }

  /// Writes an array of `elements`, each by `body`.
  mutating func array<Elements: Sequence>(
    _ elements: Elements, _ body: (inout JSONLine, Elements.Element) -> Void
  ) {
    raw("[")
    isFirst = true
    for element in elements {
      separate()
      body(&self, element)
      isFirst = false
    }
    raw("]")
    isFirst = false
  }

  /// Writes the member called `name`, with the value that `body` writes.
  mutating func member(_ name: String, _ body: (inout JSONLine) -> Void) {
    // Names are our own and contain nothing to escape.
    raw(isFirst ? "\"" : ",\"")
    raw(name)
    raw("\":")
    body(&self)
    isFirst = false
  }

  /// Writes the member called `name` with a text, or null if there is none.
  mutating func member(_ name: String, _ text: String?) {
    member(name) { line in
      if let text { line.text(text) } else { line.raw("null") }
    }
  }

  /// Writes the member called `name` with a number.
  mutating func member(_ name: String, _ number: Int) { member(name) { $0.raw("\(number)") } }

  /// Writes a number.
  mutating func number(_ number: Int) { raw("\(number)") }

  /// Writes a probability with four digits.
  mutating func number(_ probability: Probability) { raw(probability.text) }

  /// Writes a number of hundredths as a decimal fraction.
  mutating func number(hundredths: Int) {
    let size = abs(hundredths)
    let digits = size % 100 < 10 ? "0\(size % 100)" : "\(size % 100)"
    raw("\(hundredths < 0 ? "-" : "")\(size / 100).\(digits)")
  }

  /// Writes true or false.
  mutating func literal(_ bool: Bool) { raw("\(bool)") }

  /// Writes null.
  mutating func null() { raw("null") }

  private mutating func separate() {
    if !isFirst { raw(",") }
    isFirst = false
  }

  // MARK: Values

  /// Writes `text` as a string.
  mutating func text(_ text: String) {
    if text.utf8.count < JSONLine.usualCount {
      JSONBytes.append(quoted: text, to: &buffer)
      return flushIfLong()
    }
    raw("\"")
    for byte in text.utf8 {
      // A piece ends before a character starts.
      if buffer.count >= JSONLine.pieceCount, byte & 0xc0 != 0x80 { flush() }
      JSONBytes.append(escaped: byte, to: &buffer)
    }
    raw("\"")
  }

  /// Writes `bytes` as a string of hexadecimal digits.
  mutating func hexadecimal(_ bytes: Span<UInt8>) {
    raw("\"")
    for start in stride(from: 0, to: bytes.count, by: JSONLine.pieceCount) {
      let end = min(start + JSONLine.pieceCount, bytes.count)
      Hexadecimal.append(bytes.extracting(start..<end), to: &buffer)
      flushIfLong()
    }
    raw("\"")
  }

  /// Writes a typed value: its kind, and the value in the closest type that JSON has.
  ///
  /// Bytes are in hexadecimal, in `hex`. Numbers that are not finite are strings.
  mutating func value(_ value: Value) {
    object { line in
      switch value {
      case .bytes(let bytes), .raw(let bytes):
        line.member("hex") { $0.hexadecimal(bytes.storageSpan) }
      case .keyedArchive(let className, let bytes):
        if let className { line.member("class", className) }
        line.member("hex") { $0.hexadecimal(bytes.storageSpan) }
      case .object(let className, let bytes):
        line.member("class", className)
        line.member("hex") { $0.hexadecimal(bytes.storageSpan) }
      default: break
      }
      line.member("kind", value.kind.rawValue)
      switch value {
      case .bytes, .raw, .keyedArchive, .object: break
      default: line.member("value") { $0.content(of: value) }
      }
    }
  }

  /// Writes a reading's value.
  ///
  /// If the reading has only its beginning, writes that and the full count.
  mutating func value(of reading: Reading) {
    guard let count = reading.count else { return value(reading.value) }
    object { line in
      if case .keyedArchive(let className?, _) = reading.value {
        line.member("class", className)
      }
      if case .object(let className, _) = reading.value { line.member("class", className) }
      line.member("count", count)
      switch reading.value {
      case .bytes(let bytes), .raw(let bytes), .keyedArchive(_, let bytes), .object(_, let bytes):
        line.member("first_hex") { $0.hexadecimal(bytes.storageSpan) }
      default: line.member("first") { $0.content(of: reading.value) }
      }
      line.member("kind", reading.value.kind.rawValue)
    }
  }

  private mutating func content(of value: Value) {
    switch value {
    case .bool(let bool): raw("\(bool)")
    case .int32(let number): raw("\(number)")
    case .uint32(let number): raw("\(number)")
    case .int64(let number): raw("\(number)")
    case .uint64(let number): raw("\(number)")
    case .float(let number): self.number(number)
    case .double(let number), .date(let number): self.number(number)
    case .string(let text), .json(let text): self.text(text)
    case .list(let values): array(values) { $0.value($1) }
    case .set(let texts):
      array(texts) { line, text in
        if let text { line.text(text) } else { line.raw("null") }
      }
    case .array(let values): array(values) { $0.value($1) }
    case .dictionary(let members):
      array(members) { line, member in
        line.object { line in
          line.member("name", member.name)
          line.member("value") { $0.value(member.value) }
        }
      }
    case .null: raw("null")
    // These have their bytes in another member.
    case .bytes(let bytes), .raw(let bytes), .keyedArchive(_, let bytes), .object(_, let bytes):
      hexadecimal(bytes.storageSpan)
    }
  }

  private mutating func number<Number: BinaryFloatingPoint & CustomStringConvertible>(
    _ number: Number
  ) {
    if number.isNaN { return text("NaN") }
    if number.isInfinite { return text(number < 0 ? "-Infinity" : "Infinity") }
    let text = number.digits
    raw(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
  }

  private mutating func raw(_ text: String) {
    JSONBytes.append(text, to: &buffer)
    flushIfLong()
  }

  private mutating func flushIfLong() {
    if buffer.count >= JSONLine.pieceCount { flush() }
  }

  private mutating func flush() {
    emit(buffer)
    buffer.removeAll(keepingCapacity: true)
  }
}
