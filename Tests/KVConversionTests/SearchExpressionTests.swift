import ExchangeFormats
import KVBytes
import KVConversion
import KVFixtures
import KVModel
import KVTestSupport
import Testing

/// Bytes that a search for regular expressions does not decode, compared with decoding all.
struct SearchExpressionTests {
  private static func mayOccur(_ pattern: SearchPattern, in bytes: [UInt8]) -> Bool {
    pattern.mayOccur(in: bytes.storageSpan)
  }

  private static func text(_ random: inout SeededGenerator) -> String {
    String(
      (0..<Int.random(in: 0...9, using: &random)).map { _ in
        "abbccé1 -\0\u{4e00}\u{1f600}".randomElement(using: &random) ?? "a"
      })
  }

  private static func noise(_ random: inout SeededGenerator) -> [UInt8] {
    random.bytes(Int.random(in: 0...9, using: &random))
  }

  /// Returns `text` as a value, or a document in one, has it.
  private static func bytes(_ text: String, _ random: inout SeededGenerator) -> [UInt8] {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    case 1: text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    // As Java writes it: a zero and what is beyond 16 bits in units of their own.
    case 2: text.utf16.flatMap { String(utf16: [$0]).map { Array($0.utf8) } ?? javaBytes($0) }
    default: Array(text.utf8)
    }
  }

  private static func javaBytes(_ unit: UInt16) -> [UInt8] {
    unit == 0
      ? [0xc0, 0x80]
      : [0xe0 | UInt8(unit >> 12), 0x80 | UInt8(unit >> 6 & 0x3f), 0x80 | UInt8(unit & 0x3f)]
  }

  @Test func noTextThatMatchesIsExcluded() throws {
    var random = SeededGenerator(seed: RandomSeeds.run)
    var counts = (matches: 0, excluded: 0)
    for _ in 0..<600 {
      let expression = RandomExpression(3, &random).text
      let pattern = try SearchPattern([expression], as: .expression)
      for _ in 0..<6 {
        let text = Self.text(&random)
        let bytes = Self.noise(&random) + Self.bytes(text, &random) + Self.noise(&random)
        let mayOccur = Self.mayOccur(pattern, in: bytes)
        if pattern.match(in: Value.string(text)) != nil {
          counts.matches += 1
          #expect(mayOccur, "\(expression) in \(text): \(bytes)")
        }
        if !mayOccur { counts.excluded += 1 }
      }
    }
    #expect(counts.matches > 500 && counts.excluded > 200, "\(counts)")
  }

  @Test func mostBytesAreExcluded() throws {
    var random = SeededGenerator(seed: RandomSeeds.run)
    for expression in [
      "[a-z]+@[a-z]+\\.com", "^\\w{3,8}=\\w+$", "eyJ[\\w-]+\\.", "(token|secret)[:=]",
    ] {
      let pattern = try SearchPattern([expression], as: .expression)
      let excluded = (0..<200).count { _ in
        let text = (0..<300).map { _ in
          "abcdefghijklmnopqrstuvwxyzABCDEFGé .?".randomElement(using: &random) ?? "a"
        }
        return !Self.mayOccur(pattern, in: Array(String(text).utf8))
      }
      #expect(excluded > 180, "\(expression): \(excluded)")
    }
  }

  /// Tests expressions that would need more states than an automaton has.
  @Test(arguments: ["a.{20}b", "(a|b)*a(a|b){30}c", "[ab]{1,200}a[ab]{1,200}c"])
  func whatNeedsManyStatesIsFound(expression: String) throws {
    let pattern = try SearchPattern([expression], as: .expression)
    var random = SeededGenerator(seed: RandomSeeds.run)
    for _ in 0..<20 {
      var letters = (0..<60).map { _ in Bool.random(using: &random) ? "a" : "b" }
      letters[29] = "a"
      let text = letters.joined()
      let found = text + (expression.hasSuffix("c") ? "c" : "")
      #expect(pattern.match(in: Value.string(found)) != nil, "\(found)")
      #expect(Self.mayOccur(pattern, in: Array(found.utf8)))
      #expect(pattern.match(in: Value.string(String(repeating: "c", count: 60))) == nil)
    }
  }

  @Test func numbersAreNeverExcluded() throws {
    for (expression, number) in [
      ("^4[0-9]$", 42), ("\\d{4}", 1999), ("-1", -1), ("e", 1), (".", 7),
    ] {
      let pattern = try SearchPattern([expression], as: .expression)
      #expect(Self.mayOccur(pattern, in: [UInt8(truncatingIfNeeded: number)]))
      let isFound = pattern.match(in: Value.int32(Int32(number))) != nil
      #expect(isFound == (expression != "e"))
    }
    let word = try SearchPattern(["[g-k]{2}"], as: .expression)
    #expect(!Self.mayOccur(word, in: [42] as [UInt8]))
  }
}
