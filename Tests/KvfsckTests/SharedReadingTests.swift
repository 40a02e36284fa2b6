import Foundation
import Testing

/// Damaged logs in which one reading cannot stand for another, although both seem to find no gap.
struct SharedReadingTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// A long text is judged by a sample while records are searched for, and as a whole when it is
  /// read: then zeros in it are a gap, after which the records are in sync again.
  @Test func zerosInALongTextOfFastKVForAndroidLeaveTheOtherEntries() async throws {
    let lines =
      ["format fastkv-android", "mode sync"] + (0..<6).map { "string pad\($0) random:630" }
      + ["string cross random:500", "string target random:1200"]
      + (0..<5).map { "string tail\($0) random:40" }
    _ = try scratch.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: "script")
    let made = try await Tool.run(
      ["fixture", "make", "script", "--out", "store", "--seed", "7"], in: scratch.path)
    #expect(made.status == 0, "\(made.testDescription)")
    var data = try scratch.bytes(of: "store/kv.kvc")
    let text = try #require(data.firstRange(of: Array("pad2".utf8))).upperBound + 200
    data.replaceSubrange(text..<text + 16, with: [UInt8](repeating: 0, count: 16))
    _ = try scratch.write(data, to: "store/kv.kvc")
    let repair = try await Tool.run(
      ["repair", "-y", "--out", "new", "store/kv.kvc"], in: scratch.path)
    #expect(
      repair.output.contains(": 10 by structure, 2 by guess\n"), "\(repair.testDescription)")
  }

  /// Under the engine's limits, the record with the forged length is another one, with a shorter
  /// value, and not a gap.
  @Test func aForgedLengthOfFastKVForIOSIsNotReadAsTheEngineReadsIt() async throws {
    let folder = Fixture.root + "/fastkv-apple/damaged/mix64__forged_datalen_5"
    let facts = try JSON(
      parsing: try String(contentsOfFile: folder + "/case.json", encoding: .utf8))
    let key = "64656c7461"
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasSuffix(".fkv") })
    var data = try Array(Data(contentsOf: URL(fileURLWithPath: folder + "/" + name)))
    // With another magic, the engine refuses the file, and its entries rest on their structure.
    for index in 0..<6 { data[index] ^= 0xff }
    let path = try scratch.write(data, to: "store.fkv")
    let dump = try await Tool.run(["dump", "--json", path])
    let entry = try dump.objects("entry").first { $0["key_hex"]?.string == key }
    let stored = try #require(facts["truth"]?[key]?["hex"]?.string)
    #expect(entry?["raw_hex"]?.string == stored, "\(dump.testDescription)")
    #expect(entry?["cautions"]?.array?.first?.string == "may-be-damaged")
  }
}
