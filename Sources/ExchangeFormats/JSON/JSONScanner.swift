import KVBytes
package import KVModel

/// Scans JSON text from start to end, and keeps track of the offset.
///
/// Foundation's decoder is not used if names are content. Of two names that are equal or
/// canonically equivalent, it keeps only one, without reporting which. It also reads nothing of a
/// document with a single fault.
///
/// Reference: RFC 8259.
package struct JSONScanner {
  /// The reason why the text cannot be read any further.
  package struct Fault: Error, Hashable {
    package let offset: Int
    package let reason: String

    /// Creates a fault at `offset`, for the reason `reason`.
    package init(offset: Int, reason: String) {
      self.offset = offset
      self.reason = reason
    }
  }

  /// A name that an object within a value repeats.
  package struct Duplicate: Hashable {
    package let offset: Int
    package let name: String
  }

  private let bytes: [UInt8]
  /// Whether an invalid string whose end is known is only an ``obstacle``.
  private let passesBrokenTexts: Bool
  private let maximumDepth: Int
  /// The offset of the next byte.
  private(set) var offset = 0
  /// The names that objects within the last value repeat.
  package private(set) var duplicates: [Duplicate] = []
  /// The numbers within the last value that lost digits.
  private(set) var roundings: [Fault] = []
  /// The first reason why a value or its name cannot be used although its end is known.
  private var obstacle: Fault?

  /// Creates a scanner of `bytes`.
  ///
  /// A value nested more than `maximumDepth` deep is an ``obstacle``.
  package init(
    _ bytes: [UInt8], passingBrokenTexts passesBrokenTexts: Bool = false,
    maximumDepth: Int = Value.maximumDepth
  ) {
    self.bytes = bytes
    self.maximumDepth = maximumDepth
    self.passesBrokenTexts = passesBrokenTexts
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { offset = 3 }
  }

  /// Returns the line of the byte at `offset`, counted from 1.
  static func line(of offset: Int, in bytes: [UInt8]) -> Int {
    bytes.prefix(offset).count { $0 == UInt8(ascii: "\n") } + 1
  }

  // MARK: Containers

  /// Reads an object, and calls `body` with each name to read the value.
  mutating func object(
    _ body: (inout JSONScanner, _ name: String, _ start: Int) throws(Fault) -> Void
  ) throws(Fault) {
    try expect(UInt8(ascii: "{"), "an object")
    if skip(UInt8(ascii: "}")) { return }
    repeat {
      skipSpace()
      let start = offset
      let name = try string("a name in quotation marks")
      try expect(UInt8(ascii: ":"), "a colon")
      skipSpace()
      try body(&self, name, start)
    } while skip(UInt8(ascii: ","))
    try expect(UInt8(ascii: "}"), "a comma or a closing brace")
  }

  /// Reads an array, and calls `body` to read each element.
  mutating func array(_ body: (inout JSONScanner) throws(Fault) -> Void) throws(Fault) {
    try expect(UInt8(ascii: "["), "an array")
    if skip(UInt8(ascii: "]")) { return }
    repeat {
      skipSpace()
      try body(&self)
    } while skip(UInt8(ascii: ","))
    try expect(UInt8(ascii: "]"), "a comma or a closing bracket")
  }

  /// Reads to the end of the text, where only white space may follow.
  package mutating func end() throws(Fault) {
    skipSpace()
    if offset < bytes.count { throw Fault(offset: offset, reason: "there is data after the end") }
  }

  // MARK: Values

  /// Reads a value.
  ///
  /// Integers that fit in 64 bits are read as integers, and all other numbers as doubles.
  /// Afterwards, ``duplicates``, ``roundings`` and ``takeObstacle()`` state what is wrong with the
  /// value.
  package mutating func value() throws(Fault) -> Value {
    duplicates = []
    roundings = []
    return try value(depth: 1)
  }

  private mutating func value(depth: Int) throws(Fault) -> Value {
    skipSpace()
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard depth <= maximumDepth else {
        block(
          Fault(
            offset: offset,
            reason: "containers are nested more than \(maximumDepth) deep"))
        try skipContainer()
        return .null
      }
      return byte == UInt8(ascii: "{") ? try dictionary(depth) : try list(depth)
    case UInt8(ascii: "\""): return .string(try string("a string"))
    default: break
    }
    let value: Value =
      switch byte {
      case UInt8(ascii: "t"): try word("true", .bool(true))
      case UInt8(ascii: "f"): try word("false", .bool(false))
      case UInt8(ascii: "n"): try word("null", .null)
      default: try number()
      }
    // The zero of 0x1f is not the value.
    if let byte, !" \t\r\n,]}".utf8.contains(byte) { throw unexpected("the end of the value") }
    return value
  }

  private mutating func list(_ depth: Int) throws(Fault) -> Value {
    var values: [Value] = []
    try array { (scanner) throws(Fault) in values.append(try scanner.value(depth: depth + 1)) }
    return .array(values)
  }

  private mutating func dictionary(_ depth: Int) throws(Fault) -> Value {
    var members: [Value.Member] = []
    var places: [ByteText: Int] = [:]
    try object { (scanner, name, start) throws(Fault) in
      let member = Value.Member(name, try scanner.value(depth: depth + 1))
      if let place = places[ByteText(name)] {
        scanner.duplicates.append(Duplicate(offset: start, name: name))
        members[place] = member
      } else {
        places[ByteText(name)] = members.count
        members.append(member)
      }
    }
    return .dictionary(members)
  }

  /// Skips a value.
  ///
  /// Brackets and braces in it need not match.
  mutating func skipValue() throws(Fault) {
    skipSpace()
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["): try skipContainer()
    default: _ = try value()
    }
  }

  private mutating func skipContainer() throws(Fault) {
    var depth = 0
    repeat {
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        offset += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        offset += 1
      case UInt8(ascii: "\""): _ = try string("a string")
      case nil: throw Fault(offset: offset, reason: "the document ends inside an object or array")
      default: offset += 1
      }
    } while depth > 0
  }

  /// Returns and clears the reason why the last name or value cannot be used.
  package mutating func takeObstacle() -> Fault? {
    defer { obstacle = nil }
    return obstacle
  }

  private mutating func block(_ fault: Fault) { obstacle = obstacle ?? fault }

  private mutating func word(_ word: String, _ value: Value) throws(Fault) -> Value {
    guard bytes[offset...].starts(with: word.utf8) else { throw unexpected("a value") }
    offset += word.utf8.count
    return value
  }

  private mutating func number() throws(Fault) -> Value {
    let start = offset
    var isWhole = true
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) {
      guard takeDigits() else { throw unexpected("a value") }
    }
    if take(UInt8(ascii: ".")) {
      isWhole = false
      guard takeDigits() else { throw unexpected("a digit") }
    }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      isWhole = false
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      guard takeDigits() else { throw unexpected("a digit") }
    }
    let text = String(decoding: bytes[start..<offset], as: UTF8.self)
    // -0 is not an integer.
    if isWhole, !text.utf8.elementsEqual("-0".utf8) {
      if let number = Int64(text) { return .int64(number) }
      if let number = UInt64(text) { return .uint64(number) }
    }
    guard let number = Double(text), number.isFinite else {
      block(Fault(offset: start, reason: "\(text.prefix(80)) is out of range for a double"))
      return .null
    }
    isWhole = isWhole && !text.utf8.elementsEqual("-0".utf8)
    if isWhole || !Self.keeps(number, Self.significantDigits(text)) {
      roundings.append(
        Fault(
          offset: start,
          reason: "the number \(text.prefix(80)) is read as \(number): "
            + (isWhole
              ? "it does not fit in 64 bits" : "a double cannot keep all its digits")))
    }
    return .double(number)
  }

  /// Returns whether `number`, rounded to as many digits as `digits` has, has exactly these digits.
  ///
  /// `number` is the double nearest to the number with `digits`. A program that printed the double
  /// in full wrote such digits.
  private static func keeps(_ number: Double, _ digits: [UInt8]) -> Bool {
    guard !digits.isEmpty, number != 0 else { return digits.isEmpty }
    // Every normal double keeps this many digits.
    if digits.count <= 15, number.isNormal { return true }
    return digits.count <= Double.maximumDigitCount && number.digits(digits.count) == digits
  }

  /// Returns the digits of a number without leading and trailing zeros.
  private static func significantDigits(_ text: String) -> [UInt8] {
    let mantissa = text.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }
    let digits = mantissa.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      .drop { $0 == UInt8(ascii: "0") }
    return digits.dropLast(digits.reversed().prefix { $0 == UInt8(ascii: "0") }.count)
  }

  // MARK: Texts

  private mutating func string(_ wanted: String) throws(Fault) -> String {
    guard take(UInt8(ascii: "\"")) else { throw unexpected(wanted) }
    let start = offset - 1
    var text: [UInt8] = []
    while let byte = byte {
      offset += 1
      switch byte {
      case UInt8(ascii: "\""):
        if let result = String(utf8: text) { return result }
        try pass(Fault(offset: start, reason: "a string is not UTF-8"))
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): try readEscape(into: &text)
      case 0x00..<0x20:
        let reason =
          zeros(at: offset - 1).map { "a string contains \($0)" }
          ?? "a string contains a control character"
        try pass(Fault(offset: offset - 1, reason: reason))
      default: text.append(byte)
      }
    }
    throw Fault(offset: start, reason: "a string has no end")
  }

  /// Skips an invalid part of a string, if that is allowed.
  private mutating func pass(_ fault: Fault) throws(Fault) {
    guard passesBrokenTexts else { throw fault }
    block(fault)
  }

  private mutating func readEscape(into text: inout [UInt8]) throws(Fault) {
    let start = offset - 1
    guard let byte = byte else { throw Fault(offset: start, reason: "a string has no end") }
    offset += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0c)
    case UInt8(ascii: "n"): text.append(0x0a)
    case UInt8(ascii: "r"): text.append(0x0d)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      var units = [try codeUnit(start)]
      if UTF16.isLeadSurrogate(units[0]), bytes[offset...].starts(with: "\\u".utf8) {
        offset += 2
        units.append(try codeUnit(start))
      }
      if let decoded = String(utf16: units) {
        text.append(contentsOf: decoded.utf8)
      } else {
        try pass(Fault(offset: start, reason: "unpaired surrogate escape"))
      }
    default: throw Fault(offset: start, reason: "invalid escape")
    }
  }

  private mutating func codeUnit(_ start: Int) throws(Fault) -> UInt16 {
    let digits = bytes[offset...].prefix(4)
    guard digits.count == 4, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
      let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw Fault(offset: start, reason: "a \\u escape needs four hexadecimal digits") }
    offset += 4
    return unit
  }

  // MARK: Bytes

  private var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private func unexpected(_ wanted: String) -> Fault {
    let reason =
      if byte == nil {
        "the document ends where \(wanted) is expected"
      } else if let zeros = zeros(at: offset) {
        "\(wanted) is expected here, not \(zeros)"
      } else {
        "\(wanted) is expected here"
      }
    return Fault(offset: offset, reason: reason)
  }

  /// Returns a description of the run of zeros at `offset`, or `nil` if there is none.
  private func zeros(at offset: Int) -> String? {
    let count = bytes[offset...].prefix { $0 == 0 }.count
    guard count >= ZeroRuns.leastCount else { return nil }
    return "\(count.grouped) zeros in a row"
      + (offset + count == bytes.count ? ", to the end of the file" : "")
      + ": pages that never reached the disk, or a torn write"
  }

  private mutating func skipSpace() {
    while let byte = byte, [0x20, 0x09, 0x0a, 0x0d].contains(byte) { offset += 1 }
  }

  /// Skips white space, and `byte` if it is next.
  ///
  /// Returns whether it was next.
  private mutating func skip(_ byte: UInt8) -> Bool {
    skipSpace()
    return take(byte)
  }

  private mutating func expect(_ byte: UInt8, _ wanted: String) throws(Fault) {
    guard skip(byte) else { throw unexpected(wanted) }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard self.byte == byte else { return false }
    offset += 1
    return true
  }

  private mutating func takeDigits() -> Bool {
    let start = offset
    while let byte = byte, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
    return offset > start
  }
}
