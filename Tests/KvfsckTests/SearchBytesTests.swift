import Foundation
import KVFixtures
import KVTestSupport
import Testing

/// The search in bytes of no record, and where it says that they are.
struct SearchBytesTests {
  /// The bytes of a test that are after the end of the log.
  private static let start = 2000

  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// A match: its offset from the start of the bytes of the test, its length and its encoding.
  private struct Match: Hashable, CustomStringConvertible {
    let offset: Int?
    let length: Int?
    let encoding: String

    var description: String {
      "\(offset.map(String.init) ?? "?")+\(length.map(String.init) ?? "?") \(encoding)"
    }
  }

  private func make(_ script: String) async throws {
    _ = try scratch.write(Array("format mmkv\n\(script)\n".utf8), to: "script")
    try? FileManager.default.removeItem(atPath: scratch.path("kv"))
    let made = try await Tool.run(
      ["fixture", "make", "script", "--out", "kv", "--seed", "1"], in: scratch.path)
    try #require(made.status == 0, "\(made.testDescription)")
  }

  private func hits(_ arguments: [String]) async throws -> [JSON] {
    let outcome = try await Tool.run(["search", "--json"] + arguments + ["kv"], in: scratch.path)
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    return try outcome.objects("hit")
  }

  /// Returns the matches in a store that has `slack` after its log.
  private func matches(_ arguments: [String], after slack: [UInt8]) async throws -> [Match] {
    try await make("string token abcdefgh")
    var bytes = try scratch.bytes(of: "kv/kv")
    bytes.replaceSubrange(Self.start..<Self.start + slack.count, with: slack)
    _ = try scratch.write(bytes, to: "kv/kv")
    return try await hits(arguments).filter { $0["state"]?.string == "residual" }.map {
      Match(
        offset: $0["match_offset"]?.integer.map { $0 - Self.start },
        length: $0["match_length"]?.integer, encoding: $0["encoding"]?.string ?? "")
    }
  }

  private static func wide(_ text: String, isLittle: Bool) -> [UInt8] {
    text.utf16.flatMap { unit in
      let bytes = [UInt8(truncatingIfNeeded: unit), UInt8(unit >> 8)]
      return isLittle ? bytes : bytes.reversed()
    }
  }

  // MARK: Every match

  private static let mails =
    [UInt8](repeating: 0x78, count: 121) + [0xff, 0xff] + Array("ann1@example.com".utf8)
    + [0xff, 0xff] + Array("bob2@example.org".utf8)

  @Test(arguments: [
    ["@example"], ["--regex", "@example"], ["-i", "@EXAMPLE"], ["--regex", "-i", "@EX.MPLE"],
  ])
  func eachMatchIsListed(arguments: [String]) async throws {
    let found = try await matches(arguments, after: Self.mails)
    #expect(found.map(\.offset) == [127, 145] && found.map(\.length) == [8, 8])
  }

  @Test func longMatchesAreListedWithACutExcerpt() async throws {
    let found = try await matches(["--regex", "[a-z0-9@]{4,}"], after: Self.mails)
    #expect(found.map(\.offset) == [0, 123, 141])
    #expect(found.map(\.length) == [121, 12, 12])
    let excerpts = try await hits(["--regex", "x{4,}"]).map { $0["excerpt"]?.string?.utf8.count }
    // Nothing before it is text.
    #expect(excerpts == [80])
  }

  @Test(arguments: ["x*", "", "(x.*y)?", "[a-z]?", "."])
  func matchesOfFewBytesAreNotListed(expression: String) async throws {
    let found = try await matches(
      ["--regex", "-e", expression + "|nothing", "-e", "ann\\d"], after: Self.mails)
    #expect(found.allSatisfy { $0.length ?? 0 >= 4 }, "\(found)")
    #expect(found.contains { $0.offset == 123 && $0.length == 4 }, "\(found)")
  }

  @Test func alternativesHideNothing() async throws {
    let slack = [0xff] + Array("un \u{e9}clair, deux \u{c9}CLAIRS".utf8)
    let alone = try await matches(["-i", "-e", "\u{e9}clair"], after: slack)
    #expect(alone.map(\.offset) == [4, 18])
    for other in ["zzzz", "deux", "\u{e9}clair"] {
      let both = try await matches(["-i", "-e", other, "-e", "\u{e9}clair"], after: slack)
      #expect(Set(both).isSuperset(of: alone), "\(other): \(both)")
      #expect(both.count == Set(both).count, "\(other): \(both)")
    }
  }

  /// Tests that the time for all matches grows no faster than their number.
  @Test func manyMatchesTakeNoLonger() async throws {
    try await make("string token abcdefgh")
    var bytes = try scratch.bytes(of: "kv/kv")
    bytes += [UInt8](repeating: 0x61, count: 1 << 15)
    _ = try scratch.write(bytes, to: "kv/kv")
    let found = try await hits(["--regex", "a.*b|aaaa"])
    #expect(found.count >= 1 << 13, "\(found.count)")
  }

  // MARK: UTF-16

  /// Tests texts at both alignments, in bytes of both kinds around them.
  @Test(arguments: [true, false], [0, 1, 2, 3])
  func expressionsAreFoundInUTF16AmongOtherBytes(isLittle: Bool, shift: Int) async throws {
    let text = Self.wide("on wide@example", isLittle: isLittle)
    let slack = [UInt8](repeating: 0x91, count: shift) + [0xff, 0xfe] + text + [0x05, 0x92, 0x93]
    for arguments in [["wide@example"], ["--regex", "wide@ex.mple"], ["--regex", "\\w+@\\w+"]] {
      let found = try await matches(arguments, after: slack)
      #expect(
        found == [
          Match(
            offset: shift + 2 + 6, length: 24, encoding: isLittle ? "utf-16le" : "utf-16be")
        ], "\(arguments)")
    }
  }

  @Test(arguments: [true, false])
  func otherAlphabetsAreFoundInUTF16InEitherCase(isLittle: Bool) async throws {
    let slack = [0x91] + Self.wide("\u{41f}\u{440}\u{438}\u{432}\u{435}\u{442}", isLittle: isLittle)
    let text = "\u{43f}\u{440}\u{438}\u{432}\u{435}\u{442}"
    let found = try await matches(["-i", text], after: slack)
    #expect(found.map(\.offset) == [1] && found.map(\.length) == [12], "\(found)")
  }

  /// Tests that no text is listed twice because its bytes are shifted text in the other byte order.
  @Test(arguments: [true, false])
  func aTextInUTF16IsListedInOneByteOrder(isLittle: Bool) async throws {
    let slack = [0x91, 0x92] + Self.wide("wide example example.", isLittle: isLittle) + [0x93]
    for arguments in [["example"], ["--regex", "ex.mple"], ["-e", "example", "-e", "ampl"]] {
      let found = try await matches(arguments, after: slack)
      #expect(
        Set(found.map(\.encoding)) == [isLittle ? "utf-16le" : "utf-16be"],
        "\(arguments): \(found)")
      #expect(Set(found.map(\.offset)).isSuperset(of: [12, 28]), "\(arguments): \(found)")
    }
  }

  /// Tests a property list with a text in UTF-16, which is not looked for in bytes as they are.
  @Test(arguments: ["\u{65e5}", "\u{fc}"])
  func aSingleCharacterIsFoundInADocument(text: String) async throws {
    let units = Self.wide("\u{65e5}\u{672c} f\u{fc}r", isLittle: false)
    let list: [UInt8] =
      Array("bplist00".utf8) + [0xd1, 0x01, 0x02, 0x51, 0x6b, 0x66] + units
      + [0x08, 0x0b, 0x0d] + [0, 0, 0, 0, 0, 0, 1, 1]
      + [0, 0, 0, 0, 0, 0, 0, 3] + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 26]
    try await make("bytes doc hex:\(list.map { String(format: "%02x", $0) }.joined())")
    let found = try await hits([text])
    #expect(found.map { $0["member"]?.string } == ["k"], "\(found)")
  }

  // MARK: Places

  @Test(arguments: [
    ("foo$", 13, 3), ("\\bfoo", 5, 3), ("foo bar", 5, 7), ("o f.*", 3, 13), ("^xfoo", 0, 4),
  ])
  func aMatchIsWhereTheExpressionMatches(expression: String, offset: Int, length: Int) async throws
  {
    // The key, too, has what the value has.
    try await make("string foo hex:78666f6f20666f6f2062617220666f6f")
    let start = Array(try scratch.bytes(of: "kv/kv")).firstRange(of: Array("xfoo foo".utf8))
    let hit = try #require(
      try await hits(["--regex", expression]).first { $0["where"]?.string == "value" })
    #expect(hit["match_offset"]?.integer == (start?.lowerBound ?? 0) + offset)
    #expect(hit["match_length"]?.integer == length)
  }

  @Test func aLongMatchOfAValueHasItsPlace() async throws {
    try await make("string k x-\(String(repeating: "y", count: 300))-z")
    let start = Array(try scratch.bytes(of: "kv/kv")).firstRange(of: Array("yyyy".utf8))
    let hit = try #require(try await hits(["--regex", "y+"]).first)
    #expect(hit["match_offset"]?.integer == start?.lowerBound)
    #expect(hit["match_length"]?.integer == 300)
  }

  /// Tests a document in which it is not certain which of several places matches.
  @Test func anUncertainPlaceIsNotStated() async throws {
    let text = #"{"a":"foo \n foo","b":"foo"}"#
    try await make("string k hex:\(text.utf8.map { String(format: "%02x", $0) }.joined())")
    let found = try await hits(["--regex", "^foo$"])
    #expect(found.map { $0["member"]?.string } == ["b"])
    #expect(found.first?["match_offset"] == nil, "\(found)")
  }
}
