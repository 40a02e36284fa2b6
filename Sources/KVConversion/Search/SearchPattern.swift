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
    /// Whether it stands for a text whose letters match in either case.
    let isText: Bool
    /// Tells where the program matches nothing, which it would take much longer to find out.
    let automaton: TextAutomaton

    init(_ program: TextProgram, isText: Bool = false, oneOf count: Int) {
      self.program = program
      self.isText = isText
      automaton = TextAutomaton(of: program, oneOf: count)
    }
  }

  /// The smallest number of bytes of a text that is looked for in bytes that may not be text: fewer
  /// occur by chance.
  static let leastCount = 4

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
      expressions.append(Expression(program, isText: true, oneOf: count))
      return
    }
    needles.append(Needle(Array(text.utf8), .utf8, ignoringCase: ignoresCase))
    let units = text.utf16.map { (low: UInt8(truncatingIfNeeded: $0), high: UInt8($0 >> 8)) }
    needles += [
      Needle(
        units.flatMap { [$0.low, $0.high] }, .utf16LittleEndian, ignoringCase: ignoresCase),
      Needle(units.flatMap { [$0.high, $0.low] }, .utf16BigEndian, ignoringCase: ignoresCase),
    ]
  }

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
    guard
      numbers.contains(where: { $0.isSame(as: value) })
        || expressionMatch(in: Array(text.utf8)) != nil
    else { return nil }
    return SearchMatch(number: text, value.kind)
  }

  package func match(in text: String) -> SearchMatch? {
    let bytes = Array(text.utf8)
    for needle in needles where needle.encoding == .utf8 || isHexadecimal {
      guard let start = needle.firstOccurrence(in: bytes.storageSpan, 0..<bytes.count) else {
        continue
      }
      let found = SearchMatch.Occurrence(
        range: start..<start + needle.bytes.count, encoding: needle.encoding, isLiteral: true)
      return SearchMatch(found, in: FileImage(bytes))
    }
    return expressionMatch(in: bytes)
  }

  private func expressionMatch(in text: [UInt8]) -> SearchMatch? {
    for expression in expressions where expression.automaton.mayMatch(in: text.storageSpan) {
      var machine = TextMachine(expression.program, for: .utf8)
      guard let range = machine.firstMatch(in: text.storageSpan) else { continue }
      let found = SearchMatch.Occurrence(range: range, encoding: .utf8, isLiteral: false)
      return SearchMatch(found, in: FileImage(text))
    }
    return nil
  }

  /// Returns the first match in bytes that may not be text.
  package func match(inBytes bytes: [UInt8]) -> SearchMatch? {
    let image = FileImage(bytes)
    return occurrences(in: image.storageSpan, limit: 1).found.first
      .map { SearchMatch($0, in: image) }
  }
}

extension UInt8 {
  /// The small letter, if this is a capital letter of ASCII.
  fileprivate var lowercase: UInt8 { (0x41...0x5a).contains(self) ? self + 0x20 : self }
}
