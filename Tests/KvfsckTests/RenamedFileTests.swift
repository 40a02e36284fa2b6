import Foundation
import Testing

/// Files whose names do not show what they are, or that are links in a folder.
struct RenamedFileTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Returns the values that `dump --json` prints, by key, with their likeliest readings.
  private func values(_ outcome: Outcome) throws -> [JSON: [JSON]] {
    Dictionary(
      try outcome.objects("entry").map { entry in
        (entry["key"] ?? .null, ["value", "likely"].map { entry[$0] ?? .null })
      }, uniquingKeysWith: { $1 })
  }

  // MARK: FastKV for Android

  /// Tests that a complete copy is read under any name.
  ///
  /// Each copy contains the whole store, and its checksum and records identify it.
  @Test(arguments: ["foo", "KV.KVA", "kv.kva.bak"], ["nb_all_types", "nb_keys", "mp_old"])
  func aWholeCopyIsReadUnderAnyName(name: String, store: String) async throws {
    let source = "\(Fixture.root)/fastkv-android/golden/\(store)/kv.kva"
    _ = try scratch.makeFolder("tree")
    let file = try scratch.write(
      try Data(contentsOf: URL(filePath: source)), to: "tree/\(name)")
    let command = ["dump", "--json"] + .clock
    let expected = try values(try await Tool.run(command + [source]))
    #expect(!expected.isEmpty)
    for arguments in [[file], ["--format", "fastkv-android", file]] {
      let outcome = try await Tool.run(command + arguments)
      #expect(outcome.status == 0, "\(outcome.testDescription)")
      #expect(try values(outcome) == expected)
    }
    let piped = try await Tool.shell(#""$0" dump --json - < "$1""#, [file])
    #expect(try values(piped) == expected)
    let scan = try await Tool.run(["scan", "tree"] + .clock, in: scratch.path)
    let results = try scan.objects("result")
    #expect(results.map { $0["format"]?.string } == ["fastkv-android"])
    #expect(results.map { $0["verdict"]?.string } == ["clean"])
  }

  /// Tests that a damaged copy under any name is read if its format is given.
  ///
  /// Without a matching checksum, only the name or an option identifies a copy.
  @Test func aDamagedCopyUnderAnyNameIsReadWhereItsFormatIsSaid() async throws {
    var bytes = [UInt8](
      try Data(
        contentsOf: URL(
          filePath: "\(Fixture.root)/fastkv-android/golden/nb_all_types/kv.kva")))
    bytes[60] ^= 0x55
    let file = try scratch.write(bytes, to: "foo")
    let unsaid = try await Tool.run(["check", file] + .clock)
    #expect(unsaid.status == 8 && unsaid.errors.contains("not recognized"))
    let said = try await Tool.run(
      ["dump", "--json", "--format", "fastkv-android", file] + .clock)
    #expect(said.status == 4)
    #expect(try said.objects("entry").count == 19)
    let noise = try scratch.write(
      (0..<3_000).map { UInt8(truncatingIfNeeded: $0 * 7) }, to: "noise")
    let other = try await Tool.run(["scan", noise] + .clock)
    #expect(try other.objects("result").map { $0["format"] } == [.null])
  }

  // MARK: Links and pipes in a folder

  /// Tests that a scan of a folder reports the same about a store as `check`.
  @Test(arguments: [
    ("mkfifo kv.crc", false), ("ln -s nowhere kv.crc", false),
    ("ln -s ../whole/kv.crc kv.crc", false), ("mkdir kv.crc", false),
    ("cp ../whole/kv.crc real && ln -s real kv.crc", true),
    ("mv kv real && ln -s real kv && cp ../whole/kv.crc .", true),
    ("rm kv && ln -s ../whole/kv kv && cp ../whole/kv.crc .", false),
  ])
  func aFileOfAStoreThatIsNoFileIsNotPassedOver(change: String, isRead: Bool) async throws {
    try FileManager.default.copyItem(
      atPath: "\(Fixture.root)/mmkv/golden/all_types", toPath: scratch.path("whole"))
    _ = try scratch.makeFolder("e")
    let made = try await Tool.run(
      "/bin/sh", ["-c", "cd e && cp ../whole/kv . && \(change)"], in: scratch.path)
    #expect(made.status == 0, "\(made.testDescription)")
    let scan = try await Tool.run(["scan", "e"] + .clock, in: scratch.path)
    let results = try scan.objects("result")
    #expect(results.count == 1, "\(scan.testDescription)")
    let result = try #require(results.first)
    #expect(result["path"]?.string == "e/kv")
    #expect(result["verdict"] == (isRead ? .string("clean") : .null))
    #expect(scan.status == (isRead ? 0 : 8))
    let check = try await Tool.run(["check", "e/kv"] + .clock, in: scratch.path)
    #expect(check.status == scan.status || change.contains("kv kv"))
  }

  @Test func aCopyThatIsALinkToElsewhereIsSaid() async throws {
    _ = try scratch.makeFolder("tree")
    for name in ["kv.kva", "kv.kvb"] {
      _ = try scratch.write(
        try Data(
          contentsOf: URL(
            filePath: "\(Fixture.root)/fastkv-android/golden/nb_all_types/\(name)")),
        to: "tree/\(name)")
    }
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("tree/kv.kvc"), withDestinationPath: "/nowhere/kv.kvc")
    let scan = try await Tool.run(["scan", "tree"] + .clock, in: scratch.path)
    let result = try #require(try scan.objects("result").first)
    #expect("\(result["findings"] as Any)".contains("store.file-unread"))
  }

  // MARK: One store, named more than once

  @Test func aReportHasEachStoreOnce() async throws {
    try FileManager.default.copyItem(
      atPath: "\(Fixture.root)/mmkv/golden/all_types", toPath: scratch.path("ok"))
    try FileManager.default.removeItem(atPath: scratch.path("ok/case.json"))
    let full = scratch.path("ok")
    for (index, paths) in [
      ["ok", "ok"], ["ok", "ok/kv"], ["ok/kv.crc", "ok"], ["ok/kv", full], [full, "./ok/../ok/kv"],
    ].enumerated() {
      let outcome = try await Tool.run(
        ["report"] + paths + ["--out", "\(index).html"] + .clock, in: scratch.path)
      #expect(outcome.status == 0, "\(outcome.testDescription)")
      #expect(try outcome.objects("totals").first?["stores"]?.integer == 1, "\(paths)")
      let scan = try await Tool.run(["scan"] + paths + .clock, in: scratch.path)
      #expect(try scan.objects("totals").first?["stores"]?.integer == 1, "\(paths)")
    }
  }

  @Test func theTypesAreNotWrittenOverWhatIsConverted() async throws {
    for (format, out, types, status) in [
      ("json", "same", "same", 8), ("mmkv", "q", "q.crc", 8), ("mmkv", "q", "./q", 8),
      ("json", "same", "-", 16),
    ] {
      let outcome = try await Tool.run(
        [
          "convert", "--accept-bytes", "--to", format, "--out", out, "--types-out", types,
          "\(Fixture.root)/mmkv/golden/all_types/kv",
        ] + .clock, in: scratch.path)
      #expect(outcome.status.map(Int.init) == status, "\(outcome.testDescription)")
      #expect(outcome.errors.contains("--types-out"))
      #expect(scratch.names(in: "") == [])
    }
  }
}
