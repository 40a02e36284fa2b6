import ExchangeFormats
import Foundation
import KVBytes
import KVConversion
import KVFixtures
import KVModel
import KVTestSupport
import Testing

/// What a search looks for, compared with those of Foundation, and with decoding all.
struct SearchPatternTests {
  @Test func expressionsMatchWhatThoseOfFoundationMatch() throws {
    var random = SeededGenerator(seed: RandomSeeds.run)
    var counts = (matches: 0, others: 0)
    for _ in 0..<600 {
      let expression = RandomExpression(3, &random)
      guard !expression.repeatsEmpty else { continue }
      let pattern = try SearchPattern([expression.text], as: .expression)
      let other = try NSRegularExpression(pattern: expression.text)
      for _ in 0..<4 {
        let text = String(
          (0..<Int.random(in: 0...9, using: &random)).map { _ in
            "abbccé1 -".randomElement(using: &random) ?? "a"
          })
        let match = pattern.match(in: Value.string(text))
        let wanted = other.firstMatch(in: text, range: NSRange(text.startIndex..., in: text))
        let found = wanted.flatMap { Range($0.range, in: text) }.map { Array(text[$0].utf8) }
        #expect(match?.bytes == found, "\(expression.text) in \(text)")
        if match == nil { counts.others += 1 } else { counts.matches += 1 }
      }
    }
    #expect(counts.matches > 100 && counts.others > 100, "\(counts)")
  }

  @Test(arguments: ["(a*)*b", "(a|aa)+$", "(a?){50}a{50}b", "(.*)*x(.*)*y"])
  func noExpressionTakesLonger(expression: String) throws {
    let pattern = try SearchPattern([expression], as: .expression)
    // With backtracking, these would take for ever.
    let text = String(repeating: "a", count: 400) + "c"
    #expect(pattern.match(in: Value.string(text)) == nil)
  }

  @Test(arguments: [
    "(", ")", "a)", "[a", "*", "a{2,1}", "(?=a)", "\\", "\\q", "a{1001}", "((a{100}){100}){100}",
    "\\x", "\\u{110000}", "[z-a]",
  ])
  func otherTextsAreNoExpressions(text: String) {
    #expect(throws: SearchPatternError.self) { try SearchPattern([text], as: .expression) }
  }

  @Test func deepGroupsAreRefused() {
    let text = String(repeating: "(", count: 100_000) + String(repeating: ")", count: 100_000)
    #expect(throws: SearchPatternError.self) { try SearchPattern([text], as: .expression) }
  }

  @Test func caseIsIgnoredInAllAlphabets() throws {
    for (pattern, text) in [("straSSe", "STRAsse"), ("ÜBER", "über"), ("привет", "ПРИВЕТ")] {
      #expect(
        try SearchPattern([pattern], ignoringCase: true).match(in: Value.string(text)) != nil)
      #expect(try SearchPattern([pattern]).match(in: Value.string(text)) == nil)
      #expect(
        try SearchPattern([pattern], as: .expression, ignoringCase: true)
          .match(in: Value.string(text)) != nil)
    }
    let range = try SearchPattern(["[b-d]+x"], as: .expression, ignoringCase: true)
    #expect(range.match(in: Value.string("aBCDXe"))?.bytes == Array("BCDX".utf8))
  }

  // MARK: Exclusion

  private static func mayOccur(_ pattern: SearchPattern, in bytes: [UInt8]) -> Bool {
    pattern.mayOccur(in: bytes.storageSpan)
  }

  /// Returns `bytes` as one of the documents that can be within a value, or packed.
  private func packed(_ text: String, _ random: inout SeededGenerator) -> String {
    let units = text.utf16.map { String($0, radix: 16) }
    switch Int.random(in: 0..<5, using: &random) {
    case 0: return #"{"a":"\#(text.replacing(scalar: "\"", with: "\\\""))"}"#
    case 1:
      let escapes = units.map { "\\u" + String(repeating: "0", count: 4 - $0.count) + $0 }
      return #"["\#(escapes.joined())"]"#
    case 2:
      return "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>k</key><string>"
        + text.unicodeScalars.map { "&#\($0.value);" }.joined() + "</string></dict></plist>"
    default:
      let document = #"{"k":"\#(text.replacing(scalar: "\"", with: "\\\""))"}"#
      let base64 = Base64.text(Array(document.utf8))
      guard Bool.random(using: &random) else { return base64 }
      let inURL = base64.filter { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
      return Bool.random(using: &random)
        ? String(inURL) : "eyJhbGciOiJIUzI1NiJ9." + inURL + ".dBjftJeZ4CVP-mB92K27"
    }
  }

  @Test func nothingThatIsFoundWasExcluded() throws {
    var random = SeededGenerator(seed: RandomSeeds.run)
    var foundCount = 0
    for _ in 0..<400 {
      let word = String(
        (0..<Int.random(in: 3...9, using: &random)).map { _ in
          "abcdefghé/\"zyx".randomElement(using: &random) ?? "a"
        })
      var text = word
      for _ in 0..<Int.random(in: 0...3, using: &random) { text = packed(text, &random) }
      let pattern = try SearchPattern([word])
      let search = ContentSearch(for: pattern, opening: NestedContent.searched)
      let table = EntryTable(
        formatName: "json", files: [],
        entries: [TypedEntry(key: Key([]), value: .string(text))], findings: [])
      guard !search.result(in: table).hits.isEmpty else { continue }
      foundCount += 1
      let noise = (0..<Int.random(in: 0...20, using: &random)).map { _ in
        UInt8.random(in: 0x41...0x5a, using: &random)
      }
      #expect(Self.mayOccur(pattern, in: noise + text.utf8 + noise), "\(word): \(text)")
    }
    #expect(foundCount > 250, "\(foundCount)")
  }

  @Test(arguments: 0...9)
  func whatEndsWithZerosIsNotExcluded(moreZeros: Int) throws {
    let zeros = [UInt8](repeating: 0, count: moreZeros)
    for bytes in [[5, 0, 0, 0, 0], [0, 7, 0, 0], [0, 0, 0]] as [[UInt8]] {
      let pattern = try SearchPattern([Hexadecimal.text(bytes)], as: .hexadecimal)
      #expect(Self.mayOccur(pattern, in: [1, 2] + bytes + zeros))
      #expect(Self.mayOccur(pattern, in: bytes + zeros))
      #expect(!Self.mayOccur(pattern, in: [1, 2] + bytes.dropLast(2)))
      #expect(!Self.mayOccur(pattern, in: []))
    }
    let text = try SearchPattern(["zz"])
    for bytes in [[0x7a, 0, 0x7a, 0], [0, 0x7a, 0, 0x7a]] as [[UInt8]] {
      #expect(Self.mayOccur(text, in: [1, 2] + bytes + zeros))
    }
    #expect(!Self.mayOccur(text, in: [1, 2, 0x7a, 0] + zeros))
  }

  @Test func mostBytesAreExcluded() throws {
    let pattern = try SearchPattern(["zebra-token"])
    var random = SeededGenerator(seed: RandomSeeds.run)
    let excluded = (0..<200).count { _ in
      let text = (0..<300).map { _ in
        "abcdefghijklmnopqrstuvwxyzABCDEFG012 .:".randomElement(using: &random) ?? "a"
      }
      return !pattern.mayOccur(in: Array(String(text).utf8).storageSpan)
    }
    // Some texts decode to what looks like a sign of packed data.
    #expect(excluded > 140, "\(excluded)")
  }

  /// Returns a random number of any size.
  private static func number(_ random: inout SeededGenerator) -> Int64 {
    Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<64, using: &random)
  }

  @Test func everyNumberIsFoundInItsFormsInLogs() throws {
    var random = SeededGenerator(seed: RandomSeeds.run)
    for _ in 0..<300 {
      let number = Self.number(&random)
      let pattern = try SearchPattern(["\(number)"])
      var values: [Value] = [.int64(number), .double(Double(number)), .float(Float(number))]
      if let small = Int32(exactly: number) { values.append(.int32(small)) }
      if let unsigned = UInt64(exactly: number) { values.append(.uint64(unsigned)) }
      for value in values {
        #expect(pattern.match(in: value) != nil, "\(value)")
        #expect(try SearchPattern(["\(number &+ 1)"]).match(in: Value.int64(number)) == nil)
      }
      let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> Int64(8 * $0)) }
      #expect(Self.mayOccur(pattern, in: [7] + bytes))
      #expect(Self.mayOccur(pattern, in: bytes.reversed()))
    }
  }

  /// Returns the bits of `number` as a variable-length integer.
  private static func varint(_ number: UInt64) -> [UInt8] {
    number < 0x80 ? [UInt8(number)] : [UInt8(number & 0x7f) | 0x80] + varint(number >> 7)
  }

  /// Tests that a number is found in each form that binary documents in values give it.
  @Test func noFormOfANumberIsExcluded() throws {
    var random = SeededGenerator(seed: RandomSeeds.run)
    for _ in 0..<300 {
      let number = Self.number(&random)
      let pattern = try SearchPattern(["\(number)"])
      let bits = UInt64(bitPattern: number)
      var forms = [
        Self.varint(bits), Self.varint(UInt64(bitPattern: number << 1 ^ number >> 63)),
      ]
      if number < 0, number >= Int64(Int32.min) { forms.append(Self.varint(bits & 0xffff_ffff)) }
      for pattern in [Double(number).bitPattern, (Double(number) - 978_307_200).bitPattern] {
        forms.append((0..<8).map { UInt8(truncatingIfNeeded: pattern >> UInt64(8 * $0)) })
        forms.append(
          (0..<8).reversed().map { UInt8(truncatingIfNeeded: pattern >> UInt64(8 * $0)) })
      }
      for form in forms {
        #expect(Self.mayOccur(pattern, in: [7] + form), "\(number): \(form)")
      }
    }
  }

  /// Tests that an expression is looked for in the part of UTF-16 of which half is of ASCII.
  @Test(arguments: [true, false])
  func expressionsAreFoundInWideTextsWithOtherLetters(isLittleEndian: Bool) throws {
    let pattern = try SearchPattern(["x\\d"], as: .expression)
    for count in 2...20 {
      let text =
        "x1" + String(repeating: "a", count: count - 2)
        + String(repeating: "\u{43f}", count: 20 - count)
      let bytes = text.utf16.flatMap { unit -> [UInt8] in
        let bytes = [UInt8(truncatingIfNeeded: unit), UInt8(unit >> 8)]
        return isLittleEndian ? bytes : bytes.reversed()
      }
      let match = pattern.match(inBytes: bytes)
      #expect(match?.encoding == (isLittleEndian ? .utf16LittleEndian : .utf16BigEndian))
      let other = try SearchPattern(["a\\u043f{1,20}"], as: .expression)
      let range = other.match(inBytes: bytes)?.bytes
      #expect(count < 3 || count == 20 || range?.count == 2 * (1 + min(count, 20 - count)))
    }
  }
}
