import Foundation
import Testing

/// Files for `check --expect` that cannot be used.
struct ExpectationFileTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func check(_ file: String, _ store: String, _ options: [String] = []) async throws
    -> Outcome
  {
    try await Tool.run(["check", "--expect", file] + options + [store], in: scratch.path)
  }

  private func table() throws -> String {
    try scratch.write(Array(#"{"count":5,"name":"Ann","tags":["a"]}"#.utf8), to: "table.json")
  }

  @Test(arguments: [
    ("{", "line 1, at byte 0: it is not a JSON object on one line"),
    ("\n\n[1]", "line 3, at byte 2: it has no \"type\""),
    (
      #"{"type":"store","type":"entry","key":"a"}"#,
      "at byte 16 of the line, the field \"type\" occurs more than once"
    ),
    (#"{"type":"entry"}"#, "an entry needs \"key\" or \"key_hex\""),
    (
      #"{"type":"entry","key":"a","raw-hex":"00"}"#,
      "a line of type entry has no field \"raw-hex\""
    ),
    (
      #"{"type":"entry","key":"a","raw_hex":"0"}"#,
      "raw_hex is not an even number of hexadecimal digits"
    ),
    (#"{"type":"entry","key":"a","key_hex":"62"}"#, "are different keys: a and b"),
    (#"{"type":"entry","key":"a","value":5}"#, "value must be an object with \"kind\""),
    (#"{"type":"finding"}"#, "needs \"code\""),
    (
      #"{"type":"finding","code":"x","severity":"bad"}"#,
      "severity must be note, warning or damage"
    ),
    (
      #"{"type":"state","name":"current","entries":"5"}"#,
      "entries must be a whole number, not a string"
    ),
    (
      #"{"type":"prediction","callbacks":[1]}"#,
      "callbacks must be an array of strings only, not a number"
    ),
    (#"{"type":"record","key_hex":"61"}"#, "lines of type \"record\" are not compared"),
    (#"{"type":"failure","path":"x"}"#, "lines of type \"failure\" are not compared"),
    (#"{"type":"store","schema":2}"#, "its schema is 2; this kvfsck reads schema 1"),
    (
      "{\"type\":\"store\",\"path\":\"a\"}\n{\"type\":\"store\",\"path\":\"b\"}",
      "line 2, at byte 28: it is about b"
    ),
    (#"{"type":"entry","key":"a","expires_at":1e400}"#, "1e400 is out of range for a double"),
    (#"{"type":"entry","key":"\ud800"}"#, "unpaired surrogate escape"),
    ("", "it has no lines with expectations"),
    (#"{"type":"coverage"}"#, "it has no lines with expectations"),
  ])
  func aFileThatMakesNoSenseIs16AndSaysWhere(text: String, message: String) async throws {
    let table = try table()
    _ = try scratch.write(Array(text.utf8), to: "expected")
    let outcome = try await check("expected", table, ["--junit", "report.xml"])
    #expect(outcome.status == 16)
    #expect(outcome.output.isEmpty && outcome.errors.contains("expected: "))
    #expect(outcome.errors.contains(message), "\(outcome.testDescription)")
    #expect(scratch.names(in: "") == ["expected", "table.json"])
  }

  @Test func hostileFilesAreRefusedAndTrapNothing() async throws {
    let table = try table()
    func status(_ bytes: [UInt8]) async throws -> Int32? {
      try await check(try scratch.write(bytes, to: "expected"), table).status
    }
    func nested(_ count: Int) -> [UInt8] {
      let open = String(repeating: "[", count: count)
      let close = String(repeating: "]", count: count)
      return Array(
        #"{"type":"entry","key":"count","value":{"kind":"array","value":\#(open)\#(close)}}"#.utf8)
    }
    #expect(try await status([UInt8](repeating: UInt8(ascii: "["), count: 1 << 17)) == 16)
    #expect(try await status([UInt8](repeating: UInt8(ascii: "\n"), count: 1 << 17)) == 16)
    #expect(try await status(nested(100_000)) == 16)
    // JSON is read to a depth of 512, of which the line and the value take two levels. Up to that
    // depth, the value is only reported as different.
    for (count, expected) in [(505, 4), (510, 4), (511, 16), (512, 16)] {
      #expect(try await status(nested(count)) == Int32(expected), "\(count)")
    }
    #expect(
      try await status(Array("{\"type\":\"entry\",\"key\":\"".utf8) + [0xff, 0x22, 0x7d]) == 16)
    #expect(try await status((0...255).map { $0 }) == 16)
  }

  @Test func aFileThatCannotBeReadIs8AndTwoStoresAre16() async throws {
    let table = try table()
    #expect(try await check("none", table).status == 8)
    #expect(try await check(scratch.path, table).status == 16)
    let two = try await Tool.run(["check", "--expect", "none", table, table], in: scratch.path)
    #expect(two.status == 16 && two.errors.contains("--expect compares one store"))
  }

  /// Tests that a byte order mark, with which some editors begin a file, is no part of its first line.
  @Test func aByteOrderMarkIsPassedOver() async throws {
    let dump = try await Tool.run(["dump", "--json", Fixture.clean.path])
    let path = try scratch.write([0xef, 0xbb, 0xbf] + Array(dump.output.utf8), to: "e.jsonl")
    let outcome = try await check(path, Fixture.clean.path)
    #expect(outcome.status == 0, "\(outcome.testDescription)")
  }
}
