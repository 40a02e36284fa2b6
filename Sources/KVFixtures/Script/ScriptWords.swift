import KVBytes

/// The words of one line of a script, consumed from the start.
struct ScriptWords {
  private static let hexadecimalMark = "hex:"
  private static let randomMark = "random:"
  private static let emptyMark: Substring = "%"
  private static let lifetimeMark: Character = "@"
  /// The maximum number of bytes that one word may ask for.
  private static let randomLimit = 1 << 24

  private var words: ArraySlice<Substring>
  private let number: Int

  /// Creates the words of `line`, whose line number is `number`.
  init(_ line: Substring, number: Int) {
    words = line.split(separator: " ", omittingEmptySubsequences: false)[...]
    self.number = number
  }

  /// Whether all words are consumed.
  var isAtEnd: Bool { words.isEmpty }

  /// Returns an error in the line.
  func error(_ reason: String) -> ScriptError { ScriptError(line: number, reason) }

  /// Consumes and returns the next word.
  ///
  /// `what` describes it in the error if there is none.
  mutating func next(_ what: String) throws(ScriptError) -> Substring {
    guard let word = words.popFirst() else {
      throw error("\(what) is missing at the end of the line")
    }
    return word
  }

  /// Consumes the next word if it equals `word`, and returns whether it did.
  mutating func take(_ word: Substring) -> Bool {
    guard words.first == word else { return false }
    words.removeFirst()
    return true
  }

  /// Throws an error if any words are left.
  func end() throws(ScriptError) {
    if let word = words.first { throw error("unexpected “\(word)” at the end of the line") }
  }

  /// Consumes a word that stands for bytes: literal text, `hex:…`, `random:COUNT` for random
  /// letters and digits, or `%` for none.
  mutating func bytes(
    _ what: String, _ generator: inout SeededGenerator
  ) throws(ScriptError) -> [UInt8] {
    let word = try next(what)
    if word == Self.emptyMark { return [] }
    if word.hasPrefix(Self.hexadecimalMark) {
      guard let bytes = Hexadecimal.bytes(String(word.dropFirst(Self.hexadecimalMark.count))) else {
        throw error("\(what) is “\(word)”, which is not hexadecimal")
      }
      return bytes
    }
    if word.hasPrefix(Self.randomMark) {
      let text = word.dropFirst(Self.randomMark.count)
      guard let count = Int(digits: text, radix: 10), (0...Self.randomLimit).contains(count) else {
        throw error("\(what) is “\(word)”; random: needs a count up to \(Self.randomLimit)")
      }
      return Array(generator.text(count).utf8)
    }
    return Array(word.utf8)
  }

  /// Consumes a word that stands for UTF-8.
  mutating func text(
    _ what: String, _ generator: inout SeededGenerator
  ) throws(ScriptError) -> String {
    let bytes = try bytes(what, &generator)
    guard let text = String(utf8: bytes) else { throw error("\(what) is not UTF-8") }
    return text
  }

  /// Returns the word that ``bytes(_:_:)`` reads as `bytes`: literal text if it is unambiguous, or
  /// `hex:…`.
  static func text(of bytes: [UInt8]) -> String {
    if bytes.isEmpty { return String(emptyMark) }
    let text = String(decoding: bytes, as: UTF8.self)
    let isPlain =
      bytes.allSatisfy { (0x21...0x7e).contains($0) } && text != emptyMark
      && text.first != lifetimeMark && !text.hasPrefix(hexadecimalMark)
      && !text.hasPrefix(randomMark)
    return isPlain ? text : hexadecimalMark + Hexadecimal.text(bytes)
  }

  /// Returns the word that ``number(_:)`` reads as `number`.
  ///
  /// - Throws: ``ScriptError`` for a NaN that no word stands for.
  static func text<Number: BinaryFloatingPoint & LosslessStringConvertible>(
    of number: Number
  ) throws(ScriptError) -> String {
    let text = number.description
    guard let read = Number(text), read.isTotallyOrdered(belowOrEqualTo: number),
      number.isTotallyOrdered(belowOrEqualTo: read)
    else { throw ScriptError(line: nil, "a script has no word for the number \(text)") }
    return text
  }

  /// Consumes an integer within `range`.
  mutating func integer<T: FixedWidthInteger>(
    _ what: String, in range: ClosedRange<T>
  ) throws(ScriptError) -> T {
    let word = try next(what)
    guard let number = T(digits: word, radix: 10), range.contains(number) else {
      throw error(
        "\(what) is “\(word)”; it must be a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Consumes a number, in a spelling that Swift accepts.
  mutating func number<T: LosslessStringConvertible>(_ what: String) throws(ScriptError) -> T {
    let word = try next(what)
    guard let number = T(String(word)) else { throw error("“\(word)” is not a valid \(what)") }
    return number
  }

  /// Consumes the name of a case of an enumeration.
  mutating func choice<T: RawRepresentable & CaseIterable>(
    _ what: String
  ) throws(ScriptError) -> T where T.RawValue == String {
    let word = try next(what)
    guard let choice = T(rawValue: String(word)) else {
      throw noChoice(word, what, T.allCases.map(\.rawValue))
    }
    return choice
  }

  /// Returns the error that `word` is none of `names`.
  func noChoice(_ word: Substring, _ what: String, _ names: [String]) -> ScriptError {
    error("“\(word)” is not \(what); the choices are \(names.joined(separator: ", "))")
  }

  /// Consumes a file name without control characters or a folder.
  mutating func fileName(_ generator: inout SeededGenerator) throws(ScriptError) -> String {
    let name = try text("a name", &generator)
    guard Self.isFileName(name) else { throw error("“\(name)” is not a file name") }
    return name
  }

  /// Returns whether `name` is a file name without control characters or a folder.
  static func isFileName(_ name: String) -> Bool {
    !name.isEmpty && name != "." && name != ".."
      && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "/") }
  }

  /// Consumes and returns a lifetime in seconds if the last word is `@SECONDS` and stands after the
  /// `leastCount` words of a value, or returns `nil` otherwise.
  mutating func lifetime(after leastCount: Int) -> UInt32? {
    guard words.count > leastCount, let last = words.last, last.first == Self.lifetimeMark,
      let seconds = UInt32(digits: last.dropFirst(), radix: 10)
    else { return nil }
    words.removeLast()
    return seconds
  }
}
