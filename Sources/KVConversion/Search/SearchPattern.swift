import KVBytes
package import KVModel

/// What a search looks for: texts, numbers, bytes or regular expressions.
package struct SearchPattern: Sendable {
  /// How patterns are written.
  package enum Form: Sendable {
    /// As a text; if it is a number, also values that are this number.
    case literal
    /// As a regular expression.
    case expression
    /// As bytes in hexadecimal.
    case hexadecimal
  }

  /// Bytes to look for, and how they are encoded.
  struct Needle: Sendable {
    let bytes: [UInt8]
    let encoding: SearchMatch.Encoding
    /// The bytes with small letters, if ASCII letters match in either case.
    private let folded: [UInt8]?

    init(_ bytes: [UInt8], _ encoding: SearchMatch.Encoding, ignoringCase: Bool = false) {
      self.bytes = bytes
      self.encoding = encoding
      folded = ignoringCase ? bytes.map { $0.lowercase } : nil
    }

    /// Returns the offset of the first occurrence in `range` of `text`.
    func firstOccurrence(in text: Span<UInt8>, _ range: Range<Int>) -> Int? {
      guard range.count >= bytes.count else { return nil }
      guard let folded, let first = folded.first else {
        return text.firstOccurrence(of: bytes.storageSpan, in: range)
      }
      for offset in range.lowerBound...range.upperBound - folded.count
      where text[offset].lowercase == first {
        if folded.indices.allSatisfy({ text[offset + $0].lowercase == folded[$0] }) {
          return offset
        }
      }
      return nil
    }
  }

  /// A regular expression.
  struct Expression: Sendable {
    let program: TextProgram
    /// Tells where the program matches nothing, which it would take much longer to find out.
    let automaton: TextAutomaton

    init(_ program: TextProgram, oneOf count: Int) {
      self.program = program
      automaton = TextAutomaton(of: program, oneOf: count)
    }
  }

  /// The smallest number of bytes of a text that is looked for in bytes that may not be text: fewer
  /// occur by chance.
  static let leastCount = 4
  /// The number of characters that an excerpt has before a match, and in all.
  private static let shownCount = (before: 40, all: 120)

  private(set) var needles: [Needle] = []
  private(set) var expressions: [Expression] = []
  private(set) var numbers: [SearchNumber] = []
  /// Whether ASCII letters match in either case.
  let ignoresCase: Bool
  let isHexadecimal: Bool
  private var exclusion: SearchExclusion?

  /// Creates a pattern that finds what one of `patterns` finds.
  ///
  /// - Throws: If one is empty, or not of this form.
  package init(
    _ patterns: [String], as form: Form = .literal, ignoringCase ignoresCase: Bool = false
  ) throws(SearchPatternError) {
    self.ignoresCase = ignoresCase && form != .hexadecimal
    isHexadecimal = form == .hexadecimal
    for pattern in patterns {
      guard !pattern.isEmpty else { throw SearchPatternError("it is empty") }
      switch form {
      case .literal: add(literal: pattern, oneOf: patterns.count)
      case .expression:
        let program = try TextProgram(expression: pattern, ignoringCase: ignoresCase)
        expressions.append(Expression(program, oneOf: patterns.count))
      case .hexadecimal:
        guard let bytes = Hexadecimal.writtenBytes(pattern), !bytes.isEmpty else {
          throw SearchPatternError("it is not hexadecimal")
        }
        needles.append(Needle(bytes, .bytes))
      }
    }
    exclusion = SearchExclusion(of: self)
  }

  private mutating func add(literal text: String, oneOf count: Int) {
    if let number = SearchNumber(text) { numbers.append(number) }
    // Which letters are the same in another case cannot be told from their bytes.
    if ignoresCase, !text.utf8.allSatisfy({ $0 < 0x80 }) {
      let program = TextProgram(literal: text, ignoringCase: true)
      expressions.append(Expression(program, oneOf: count))
      return
    }
    needles.append(Needle(Array(text.utf8), .utf8, ignoringCase: ignoresCase))
    // Two bytes are in any binary data.
    guard text.utf16.count > 1 else { return }
    let units = text.utf16.map { (low: UInt8(truncatingIfNeeded: $0), high: UInt8($0 >> 8)) }
    needles += [
      Needle(
        units.flatMap { [$0.low, $0.high] }, .utf16LittleEndian, ignoringCase: ignoresCase),
      Needle(units.flatMap { [$0.high, $0.low] }, .utf16BigEndian, ignoringCase: ignoresCase),
    ]
  }

  /// Whether the pattern has regular expressions.
  var hasExpressions: Bool { !expressions.isEmpty }

  /// Returns `false` if no value that is stored in `bytes` without encryption, and no document in
  /// such a value, can match: then nothing need be decoded.
  ///
  /// - Complexity: O(`bytes.count`).
  package func mayOccur(in bytes: Span<UInt8>) -> Bool {
    exclusion?.mayOccur(in: bytes) ?? true
  }

  // MARK: Values

  /// Returns the first match in `value`, or in one of its elements.
  ///
  /// - Precondition: `value` is nested no deeper than ``Value/maximumDepth``.
  package func match(in value: Value) -> SearchMatch? {
    switch value {
    case .string(let text), .json(let text): return match(in: text)
    case .bytes(let bytes), .raw(let bytes), .keyedArchive(_, let bytes), .object(_, let bytes):
      return match(inBytes: bytes)
    case .list(let values): return values.lazy.compactMap { match(in: $0) }.first
    case .array(let values): return values.lazy.compactMap { match(in: $0) }.first
    case .set(let texts): return texts.lazy.compactMap { $0.flatMap { match(in: $0) } }.first
    case .dictionary(let members):
      return members.lazy.compactMap { match(in: $0.name) ?? match(in: $0.value) }.first
    case .bool, .null: return nil
    case .int32, .uint32, .int64, .uint64, .float, .double, .date:
      return match(inNumber: value)
    }
  }

  /// Returns the match in the bytes of `key`.
  package func match(in key: Key) -> SearchMatch? {
    key.text.map { match(in: $0) } ?? match(inBytes: key.bytes)
  }

  private func match(inNumber value: Value) -> SearchMatch? {
    let text = SearchNumber.text(of: value)
    guard numbers.contains(where: { $0.isSame(as: value) }) || expressionMatch(in: text) != nil
    else { return nil }
    return SearchMatch(encoding: .number(value.kind), excerpt: text)
  }

  package func match(in text: String) -> SearchMatch? {
    let bytes = Array(text.utf8)
    for needle in needles where needle.encoding == .utf8 || isHexadecimal {
      if let match = match(of: needle, inAll: bytes) { return match }
    }
    return expressionMatch(in: text)
  }

  /// Returns the first match in bytes that may not be text.
  package func match(inBytes bytes: [UInt8]) -> SearchMatch? {
    for needle in needles where isHexadecimal || needle.bytes.count >= Self.leastCount {
      if let match = match(of: needle, inAll: bytes) { return match }
    }
    let expressions = expressions(thatMayMatch: bytes)
    let text = expressions.isEmpty ? "" : String(decoding: bytes, as: UTF8.self)
    return match(of: expressions, in: text.unicodeScalars.map(\.value), .utf8)
      ?? wideMatch(in: bytes)
  }

  private func match(of needle: Needle, inAll bytes: [UInt8]) -> SearchMatch? {
    guard let offset = needle.firstOccurrence(in: bytes.storageSpan, 0..<bytes.count) else {
      return nil
    }
    return match(of: needle, at: offset, in: FileImage(bytes))
  }

  /// Returns the match of `needle` at `offset` of `image`.
  func match(of needle: Needle, at offset: Int, in image: FileImage) -> SearchMatch {
    let range = offset..<offset + needle.bytes.count
    let width = needle.encoding.unitCount
    let start = range.lowerBound - min(range.lowerBound / width, Self.shownCount.before) * width
    let end = min(image.count, max(range.upperBound, start + Self.shownCount.all * width))
    let encoding = needle.encoding
    let (before, own, after) = (
      encoding.text(of: image.bytes(in: start..<range.lowerBound)).unicodeScalars,
      encoding.text(of: image.bytes(in: range)),
      encoding.text(of: image.bytes(in: range.upperBound..<end)).unicodeScalars
    )
    var match = SearchMatch(
      encoding: encoding,
      excerpt: String(before.suffix(while: \.isOfText)) + own
        + String(after.prefix(while: \.isOfText)))
    match.bytes = image.bytes(in: range)
    return match
  }

  /// Returns the expressions that may match texts among `bytes`.
  private func expressions(thatMayMatch bytes: [UInt8]) -> [Expression] {
    expressions.filter { $0.automaton.mayMatch(in: bytes.storageSpan) }
  }

  private func expressionMatch(in text: String) -> SearchMatch? {
    guard hasExpressions, case let expressions = expressions(thatMayMatch: Array(text.utf8)),
      !expressions.isEmpty
    else { return nil }
    return match(of: expressions, in: text.unicodeScalars.map(\.value), .utf8)
  }

  private func match(
    of expressions: [Expression], in scalars: [UInt32], _ encoding: SearchMatch.Encoding
  ) -> SearchMatch? {
    for expression in expressions {
      guard let range = expression.program.firstMatch(in: scalars) else { continue }
      func text(_ range: Range<Int>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars[range].compactMap(Unicode.Scalar.init))
        return String(text)
      }
      let start = max(0, range.lowerBound - Self.shownCount.before)
      var match = SearchMatch(
        encoding: encoding,
        excerpt: text(start..<min(scalars.count, start + Self.shownCount.all)))
      if range.count <= Self.shownCount.all { match.bytes = encoding.bytes(of: text(range)) }
      return match
    }
    return nil
  }

  /// Returns the match of a regular expression in bytes that are UTF-16 of a European language.
  private func wideMatch(in bytes: [UInt8]) -> SearchMatch? {
    let expressions = expressions.filter { $0.automaton.mayMatchWide(in: bytes.storageSpan) }
    guard !expressions.isEmpty else { return nil }
    for encoding in [SearchMatch.Encoding.utf16LittleEndian, .utf16BigEndian] {
      let high = encoding == .utf16LittleEndian ? 1 : 0
      let zeroCount = stride(from: high, to: bytes.count, by: 2).count { bytes[$0] == 0 }
      guard bytes.count % 2 == 0, zeroCount * 4 > bytes.count else { continue }
      let scalars = encoding.text(of: bytes).unicodeScalars.map(\.value)
      if let match = match(of: expressions, in: scalars, encoding) { return match }
    }
    return nil
  }
}

/// Where a pattern was found in a value.
package struct SearchMatch: Sendable {
  /// How what was found is encoded.
  package enum Encoding: Hashable, Sendable {
    case utf8, utf16LittleEndian, utf16BigEndian, bytes
    /// It is a number of this type.
    case number(Value.Kind)
  }

  /// How what was found is encoded.
  package let encoding: Encoding
  /// The text around it.
  package let excerpt: String
  /// The bytes that match, if they are few.
  package internal(set) var bytes: [UInt8]?

  init(encoding: Encoding, excerpt: String) {
    self.encoding = encoding
    self.excerpt = excerpt
  }
}

extension UInt8 {
  /// The small letter, if this is a capital letter of ASCII.
  fileprivate var lowercase: UInt8 { (0x41...0x5a).contains(self) ? self + 0x20 : self }
}

extension Unicode.Scalar {
  /// Whether the scalar may be in a text, unlike control characters and what stands for bytes that
  /// are no text.
  fileprivate var isOfText: Bool {
    value == 0x09 || value == 0x0a || value == 0x0d
      || value >= 0x20 && value != 0x7f && value != 0xfffd
  }
}

extension BidirectionalCollection {
  /// Returns the longest suffix whose elements all satisfy `test`.
  fileprivate func suffix(while test: (Element) -> Bool) -> SubSequence {
    self[(lastIndex { !test($0) }.map(index(after:)) ?? startIndex)...]
  }
}

extension SearchMatch.Encoding {
  /// The name in JSON.
  package var name: String {
    switch self {
    case .utf8: "utf-8"
    case .utf16LittleEndian: "utf-16le"
    case .utf16BigEndian: "utf-16be"
    case .bytes: "bytes"
    case .number(let kind): kind.rawValue
    }
  }

  /// The number of bytes of a code unit.
  fileprivate var unitCount: Int {
    self == .utf16LittleEndian || self == .utf16BigEndian ? 2 : 1
  }

  /// Returns `bytes` as text, in which what is none is replaced.
  fileprivate func text(of bytes: [UInt8]) -> String {
    guard unitCount == 2 else {
      if self == .bytes { return Hexadecimal.text(bytes) }
      // The start may be within a character.
      return String(decoding: bytes.drop { $0 & 0xc0 == 0x80 }, as: UTF8.self)
    }
    let low = self == .utf16LittleEndian ? 0 : 1
    let units = stride(from: 0, to: bytes.count - 1, by: 2).map {
      UInt16(bytes[$0 + low]) | UInt16(bytes[$0 + 1 - low]) << 8
    }
    return String(decoding: units, as: UTF16.self)
  }

  /// Returns the bytes of `text`.
  fileprivate func bytes(of text: String) -> [UInt8] {
    switch self {
    case .utf16LittleEndian:
      text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    case .utf16BigEndian: text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    default: Array(text.utf8)
    }
  }
}
