import KVBytes

/// JSON on one line, emitted in pieces while it is written, so that a long value is never in memory
/// as text.
///
/// Members appear in the order in which they are written. The lines of reports and of converted files
/// write them sorted by name.
package struct JSONLine {
  private static let pieceCount = 1 << 15
  /// A size that most lines do not reach.
  private static let usualCount = 1 << 10

  /// Takes a piece; `nil` to keep all of the line in the buffer.
  private let emit: (([UInt8]) -> Void)?
  private var buffer: [UInt8] = []
  private var isFirst = true

  /// Writes an object with the members that `body` writes, and a line feed, to `emit`.
  ///
  /// Every piece ends with a whole character.
  package static func write(
    to emit: @escaping ([UInt8]) -> Void, _ body: (inout JSONLine) -> Void
  ) {
    emit(lines(to: emit) { $0.line(body) })
  }

  /// Returns the lines that `body` writes, in memory of at least `count` bytes.
  ///
  /// If `emit` is given, it takes long lines in pieces, and only the rest is returned.
  package static func lines(
    reserving count: Int = 0, to emit: (([UInt8]) -> Void)?, _ body: (inout JSONLine) -> Void
  ) -> [UInt8] {
    var lines = JSONLine(emit)
    if count > 0 { lines.buffer.reserveCapacity(count) }
    body(&lines)
    return lines.buffer
  }

  /// Appends what `body` writes to `bytes`.
  package static func append(to bytes: inout [UInt8], _ body: (inout JSONLine) -> Void) {
    var line = JSONLine(nil)
    swap(&line.buffer, &bytes)
    body(&line)
    swap(&line.buffer, &bytes)
  }

  /// Returns what `body` writes.
  package static func text(_ body: (inout JSONLine) -> Void) -> String {
    var bytes: [UInt8] = []
    append(to: &bytes, body)
    return String(decoding: bytes, as: UTF8.self)
  }

  private init(_ emit: (([UInt8]) -> Void)?) {
    self.emit = emit
    if emit != nil { buffer.reserveCapacity(JSONLine.usualCount) }
  }

  // MARK: Structure

  /// Writes an object with the members that `body` writes, and a line feed.
  package mutating func line(_ body: (inout JSONLine) -> Void) {
    object(body)
    raw("\n")
  }

  /// Writes an object with the members that `body` writes.
  package mutating func object(_ body: (inout JSONLine) -> Void) {
    raw("{")
    isFirst = true
    body(&self)
    raw("}")
    isFirst = false
  }

  /// Writes an array of `elements`, each by `body`.
  ///
  /// In other modules this stays generic at run time, which is slow: what is written for each entry
  /// uses ``array(_:)``.
  package mutating func array<Elements: Sequence>(
    _ elements: Elements, _ body: (inout JSONLine, Elements.Element) -> Void
  ) {
    array { line in
      for element in elements { line.element { body(&$0, element) } }
    }
  }

  /// Writes an array of the elements that `body` writes.
  package mutating func array(_ body: (inout JSONLine) -> Void) {
    raw("[")
    isFirst = true
    body(&self)
    raw("]")
    isFirst = false
  }

  /// Writes an element of an array by `body`.
  package mutating func element(_ body: (inout JSONLine) -> Void) {
    separate()
    body(&self)
    isFirst = false
  }

  /// Writes the member called `name`, with the value that `body` writes.
  package mutating func member(_ name: String, _ body: (inout JSONLine) -> Void) {
    self.name(name)
    body(&self)
  }

  /// Writes the name of a member; its value follows.
  package mutating func name(_ name: String) {
    if !isFirst { buffer.append(UInt8(ascii: ",")) }
    isFirst = false
    // Names are our own and contain nothing to escape.
    buffer.append(UInt8(ascii: "\""))
    JSONBytes.append(name, to: &buffer)
    buffer.append(UInt8(ascii: "\""))
    buffer.append(UInt8(ascii: ":"))
    flushIfLong()
  }

  /// Writes the member called `name` with a text, or null if there is none.
  package mutating func member(_ name: String, _ text: String?) {
    self.name(name)
    self.text(text)
  }

  /// Writes the member called `name` with a number.
  package mutating func member(_ name: String, _ number: Int) {
    self.name(name)
    JSONBytes.append(number, to: &buffer)
  }

  /// Writes the member called `name` with `bytes` as a string of hexadecimal digits.
  package mutating func member(_ name: String, hexadecimal bytes: [UInt8]) {
    self.name(name)
    hexadecimal(bytes.storageSpan)
  }

  /// Writes a number.
  package mutating func number(_ number: some FixedWidthInteger) {
    if let number = Int(exactly: number) {
      JSONBytes.append(number, to: &buffer)
      flushIfLong()
    } else {
      raw("\(number)")
    }
  }

  /// Writes a number with as few digits as identify it, but with all digits of an integer.
  ///
  /// Numbers that are not finite are strings.
  package mutating func number<Number: BinaryFloatingPoint & CustomStringConvertible>(
    _ number: Number
  ) {
    if number.isNaN { return text("NaN") }
    if number.isInfinite { return text(number < 0 ? "-Infinity" : "Infinity") }
    let digits = number.digits
    raw(digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits)
  }

  /// Writes a probability with four digits.
  package mutating func number(_ probability: Probability) { raw(probability.text) }

  /// Writes a number of hundredths as a decimal fraction.
  package mutating func number(hundredths: Int) {
    let size = abs(hundredths)
    let digits = size % 100 < 10 ? "0\(size % 100)" : "\(size % 100)"
    raw("\(hundredths < 0 ? "-" : "")\(size / 100).\(digits)")
  }

  /// Writes true or false.
  package mutating func literal(_ bool: Bool) { raw("\(bool)") }

  /// Writes null.
  package mutating func null() { raw("null") }

  private mutating func separate() {
    if !isFirst { raw(",") }
    isFirst = false
  }

  // MARK: Values

  /// Writes `text` as a string, or null if there is none.
  package mutating func text(_ text: String?) {
    guard let text else { return null() }
    if text.utf8.count < JSONLine.usualCount {
      JSONBytes.append(quoted: text, to: &buffer)
      return flushIfLong()
    }
    raw("\"")
    for byte in text.utf8 {
      // A piece ends before a character starts.
      if emit != nil, buffer.count >= JSONLine.pieceCount, byte & 0xc0 != 0x80 { flush() }
      JSONBytes.append(escaped: byte, to: &buffer)
    }
    raw("\"")
  }

  /// Writes `bytes` as a string if they are UTF-8, otherwise null.
  package mutating func text(utf8 bytes: Span<UInt8>) {
    let isShort = bytes.count < JSONLine.usualCount
    guard isShort, JSONBytes.append(quotedASCII: bytes, to: &buffer) else {
      return text(bytes.text)
    }
    flushIfLong()
  }

  /// Writes `bytes` as a string of hexadecimal digits.
  package mutating func hexadecimal(_ bytes: Span<UInt8>) {
    raw("\"")
    for start in stride(from: 0, to: bytes.count, by: JSONLine.pieceCount) {
      let end = min(start + JSONLine.pieceCount, bytes.count)
      Hexadecimal.append(bytes.extracting(start..<end), to: &buffer)
      flushIfLong()
    }
    raw("\"")
  }

  private mutating func raw(_ text: String) {
    JSONBytes.append(text, to: &buffer)
    flushIfLong()
  }

  private mutating func flushIfLong() {
    if emit != nil, buffer.count >= JSONLine.pieceCount { flush() }
  }

  private mutating func flush() {
    emit?(buffer)
    buffer.removeAll(keepingCapacity: true)
  }
}
