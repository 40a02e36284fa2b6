import ExchangeFormats
import Foundation
import KVBytes
import KVFixtures
import KVModel
import KVTestSupport
import SystemPackage
import Testing

/// Reading JSON documents as far as possible, and reporting the rest.
struct JSONDocumentTests {
  private func table(of text: [UInt8]) -> EntryTable {
    JSONFormat().read([StoreFile(.data, at: "a.json", FileImage(text))])
  }

  private func table(of text: String) -> EntryTable { table(of: Array(text.utf8)) }

  private func codes(_ table: EntryTable) -> [String] { table.findings.map(\.code) }

  /// Tests that an invalid string costs only its own value.
  ///
  /// `JSON.stringify` writes half of an emoji as an escape. This is valid JSON, but not valid text.
  @Test(arguments: [
    #""caf\ud83d""#, #""\ude00 x""#, #""\ud83d\u0041""#, #"["x","\ud83d"]"#, #"{"\ud83d":1}"#,
    "\"a\tb\"", "\"a\u{1}\"",
  ])
  func aTextThatIsNoneCostsItsOwnValueOnly(value: String) throws {
    let table = table(of: #"{"a":1,"draft":\#(value),"token":"abc","list":[1,"]"]}"#)
    #expect(table.entries.map { $0.key.text } == ["a", "token", "list"])
    #expect(codes(table) == ["json.value"])
    #expect(table.findings[0].message.contains(#""draft""#))
  }

  @Test func bytesThatAreNotUTF8CostTheirOwnValueOnly() throws {
    let text = Array(#"{"a":"x"#.utf8) + [0xff] + Array(#"y","b":2}"#.utf8)
    let table = table(of: text)
    #expect(table.entries.map { $0.key.text } == ["b"])
    #expect(codes(table) == ["json.value"])
  }

  /// Tests that a member is left out if its name is not valid text.
  ///
  /// A name is not guessed, because a wrong guess would be another key.
  @Test func aNameThatIsNoTextIsLeftOutWithItsValue() throws {
    let table = table(of: #"{"a":1,"b\ud83d":{"c":1e999},"d":[2]}"#)
    #expect(table.entries.map { $0.key.text } == ["a", "d"])
    #expect(codes(table) == ["json.value"])
  }

  @Test func anEscapeThatJSONDoesNotHaveEndsTheDocument() throws {
    let table = table(of: #"{"a":1,"b":"\x","c":2}"#)
    #expect(table.entries.map { $0.key.text } == ["a"])
    #expect(codes(table) == ["json.malformed"])
  }

  /// Tests that a number is not read from the start of something else, or of a longer number.
  @Test(arguments: [
    "0x1}", "01}", "1.5.2}", "12_000}", "truest}", "nullx}", "-1-}", "12", "1.5", "1e3",
  ])
  func aPartOfAWordIsNoValue(text: String) throws {
    let table = table(of: #"{"a":1,"b":\#(text)"#)
    #expect(table.entries.map { $0.key.text } == ["a"])
    #expect(codes(table) == ["json.malformed"])
  }

  /// Tests that an app's own setting called `kvfsck` does not hide all others.
  @Test(arguments: [
    #"{"kvfsck":"entries","a":1}"#, #"{"a":1,"kvfsck":"entries"}"#,
    "{\n\"kvfsck\": \"entries\",\n\"a\": 1\n}",
  ])
  func aDocumentOfEntriesHasEntries(text: String) throws {
    let files = [StoreFile(.data, at: "a.json", FileImage(Array(text.utf8)))]
    #expect(JSONFormat().recognition(of: files).likelihood == 85)
    #expect(JSONLinesFormat().recognition(of: files).likelihood == 0)
    let table = table(of: text)
    #expect(Set(table.entries.map { $0.key.text }) == ["a", "kvfsck"])
    #expect(table.findings.isEmpty)
  }

  /// Tests that what is no part of a document makes no entry doubtful; the byte that ends the document
  /// can be one that replaced another.
  @Test func whatFollowsTheEndIsNoPartOfAnEntry() throws {
    for (rest, cautions) in [
      ("{\"b\":2}", []), (" [1]", []), ("\0\0", []), ("x", [Caution.mayBeDamaged]),
      ("}", [.mayBeDamaged]), ("4,\"c\":3}", [.mayBeDamaged]), (",\"c\":3}", [.mayBeDamaged]),
    ] {
      let table = table(of: "{\"a\":1}" + rest)
      #expect(codes(table) == ["json.malformed"], "\(rest)")
      #expect(table.entries.map(\.origin.cautions) == [cautions], "\(rest)")
    }
    #expect(table(of: "{\"a\":1 \"b\"").entries.map(\.origin.cautions) == [[.mayBeDamaged]])
  }

  @Test func onlyTheLastValueOfAKeyIsAnEntry() throws {
    let plain = #"{"a":1,"b":2,"a":3}"#
    let lines =
      #"{"key":"a","type":"int32","value":1}|{"key":"b","type":"int32","value":2}|"#
      + #"{"key":"a","type":"int32","value":3}"#
    let typed = lines.replacing("|", with: ",")
    let header = #"{"kvfsck":"entries","schema":1,"name":"kv","format":"mmkv""#
    let inLines = [
      StoreFile(
        .data, at: "a.jsonl",
        FileImage(Array((header + "}\n" + lines.replacing("|", with: "\n")).utf8)))
    ]
    for table in [
      table(of: plain), table(of: header + #","entries":["# + typed + "]}"),
      JSONLinesFormat().read(inLines),
    ] {
      #expect(table.entries.map { $0.key.text } == ["b", "a"])
      #expect(table.entries.last?.value.plainJSON == "3")
      #expect(codes(table) == ["json.duplicate-key"])
    }
  }

  /// Tests that messages shorten long keys.
  ///
  /// A file can cause as many messages as it has bytes, and a key can be as long as the file.
  @Test func messagesAboutALongKeyAreShort() throws {
    let key = String(repeating: "é\"", count: 50_000)
    let members = #""a":1,"a":1e400,"b":18446744073709551616"#
    let name = Value.quoted(key)
    let text = #"{\#(name):{\#(members)},\#(name):1,\#(name):2}"#
    let findings = table(of: text).findings
    #expect(Set(findings.map(\.code)).isSuperset(of: ["json.duplicate-key", "json.value"]))
    #expect(findings.allSatisfy { $0.message.utf8.count < 1000 })
  }

  @Test(arguments: [
    "9007199254740993.0", "7e-324", "1.2345678e-320", "12345678901234567.0", "1e-400",
    "0.1234567890123456789", "2.2250738585072011e-308",
  ])
  func aNumberThatADoubleDoesNotKeepIsALoss(number: String) throws {
    let table = table(of: #"{"n":\#(number)}"#)
    #expect(codes(table) == ["json.number-rounded"], "\(number)")
  }

  /// Tests that no loss is reported for a double that is written in full.
  ///
  /// Programs write a double with its shortest digits, with 17 digits, or with all digits.
  @Test func aDoubleInFullIsNoLoss() throws {
    let seed = RandomSeeds.run
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      let number = Double(bitPattern: UInt64.random(in: 0 ... .max, using: &random))
      guard number.isFinite else { continue }
      for text in [
        "\(number)", String(format: "%.16e", number), String(format: "%.40e", number),
        String(format: "%.766e", number),
      ] {
        let table = table(of: #"{"n":\#(text)}"#)
        #expect(table.findings.isEmpty, "\(text), seed \(seed)")
        #expect(table.entries.first?.value == .double(number), "\(text), seed \(seed)")
      }
    }
  }
}
