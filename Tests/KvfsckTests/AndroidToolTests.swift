import Foundation
import Testing

/// Reading stores with external values through the tool.
struct AndroidToolTests {
  private let scratch: Scratch
  private let store: String

  init() throws {
    scratch = try Scratch()
    store = scratch.path("store")
    let source = "\(Fixture.root)/fastkv-android/golden/old_external"
    try FileManager.default.copyItem(atPath: source, toPath: store)
    try FileManager.default.removeItem(atPath: store + "/case.json")
  }

  private var externals: [String] {
    [
      "05fcd64d2b74ee9ee8f63b4c970c27a2", "740c00bf6c0c98c00f7486efb99acc6b",
      "ea250dc15469f72c04af8032f50bc2f8",
    ]
  }

  @Test func mapShowsEachExternalFileOnceFromItsOwnStart() async throws {
    let outcome = try await Tool.run(["map", store])
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    for name in externals {
      let heads = outcome.lines.indices.filter { outcome.lines[$0].contains("kv/\(name): ") }
      #expect(heads.count == 1)
      let first = try #require(heads.first.map { outcome.lines[$0 + 1] })
      #expect(first.hasPrefix("00000000  ") && first.hasSuffix("external value: \(name)"))
      #expect(outcome.lines.count { $0.hasSuffix("external value: \(name)") } == 1)
    }
    let json = try await Tool.run(["map", "--json", store])
    let regions = try json.objects("region").filter { $0["file"]?.string == "external" }
    #expect(regions.map { $0["length"]?.integer } == [5000, 6000, 7005])
    #expect(regions.map { $0["offset"]?.integer } == [0, 0, 0])
    #expect(regions.map { $0["path"]?.string } == externals.map { "\(store)/kv/\($0)" })
  }

  @Test func checkDumpAndRepairCountTheEntriesThatHaveTheirFiles() async throws {
    let damaged = "\(Fixture.root)/fastkv-android/damaged/ext__ext_dir_missing/kv.kva"
    let check = try await Tool.run(["check", damaged])
    #expect(check.lines.first?.contains(": damaged, 2 entries, ") == true)
    #expect(check.output.contains("the app will load 2 of 5 entries; "), "\(check.output)")
    #expect(check.output.contains("  lost: arr, big, obj\n"))
    let dump = try await Tool.run(["dump", "--json", damaged])
    #expect(try dump.objects("entry").count == 2)
    let alike = try await Tool.run(["dump", "--json", "--like-engine", damaged])
    #expect(try alike.objects("entry").count == 2)
    let repair = try await Tool.run(["repair", "-y", "--out", scratch.path("new"), damaged])
    #expect(repair.output.contains("Keeps 2 entries: "))
    #expect(repair.output.contains("Drops 3 entries:"))
  }

  @Test func whatTheEngineCannotHoldIsSetAsideWithItsReason() async throws {
    let damaged = "\(Fixture.root)/fastkv-android/damaged/mix__AB_nul_in_string/kv.kva"
    let new = scratch.path("new")
    let repair = try await Tool.run(["repair", "-y", "--out", new, damaged])
    #expect(repair.status == 5, "\(repair.testDescription)")
    #expect(
      repair.output.contains(
        "Sets aside 1 entry that the engine cannot hold, in a separate file:\n  beta: its text contains "
      ),
      "\(repair.output)")
    #expect(!repair.output.contains("Drops"))
    let written = try await Tool.run(["dump", "--json", "\(new)/kv.kva"])
    #expect(try written.objects("entry").count == 11)
    let lines = try String(contentsOfFile: "\(new)/kv.kva.lost-and-found.jsonl", encoding: .utf8)
      .split(separator: "\n")
    let aside = try JSONDecoder().decode(JSON.self, from: Data(try #require(lines.last).utf8))
    #expect(lines.count == 2)
    #expect(aside["type"]?.string == "aside" && aside["key"]?.string == "beta")
    #expect(aside["reason"]?.string?.contains("U+0000") == true)
    #expect(aside["raw_hex"]?.string?.contains("00") == true)
  }

  #if Encryption
    @Test func undoAfterARepairInPlaceLeavesAllAsItWas() async throws {
      let before = try contents()
      let repair = try await Tool.run(["repair", "--in-place", "--plain", store])
      #expect(repair.status == 0, "\(repair.testDescription)")
      let names = try #require(scratch.names(in: "store"))
      let backup = try #require(names.first { $0.contains("backup") })
      #expect(scratch.names(in: "store/\(backup)")?.contains("kv.kva") == true)
      #expect(scratch.names(in: "store/kv") == externals)
      let dump = try await Tool.run(["dump", "--json", store])
      #expect(try dump.objects("entry").count == 5)
      let undo = try await Tool.run(["undo", store + "/" + backup])
      #expect(undo.status == 0, "\(undo.testDescription)")
      try FileManager.default.removeItem(atPath: store + "/" + backup)
      #expect(try contents() == before)
    }

    private func contents() throws -> [String: Data] {
      var contents: [String: Data] = [:]
      for name in try FileManager.default.subpathsOfDirectory(atPath: store) {
        contents[name] = FileManager.default.contents(atPath: store + "/" + name)
      }
      return contents
    }
  #endif
}
