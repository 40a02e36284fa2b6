import Foundation
import Testing

/// A changed bit in a log of over a mebibyte, where a copy of the log for each correction that is
/// tried would cost more than everything else.
struct LongLogTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func makeStore() async throws -> [UInt8] {
    let lines = (0..<20_000).map { "string key_\($0) \(String(repeating: "text", count: 14))\($0)" }
    _ = try scratch.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: "script")
    let made = try await Tool.run(
      ["fixture", "make", "script", "--out", "store", "--seed", "7"], in: scratch.path)
    #expect(made.status == 0, "\(made.testDescription)")
    return try scratch.bytes(of: "store/kv")
  }

  /// The bit is in the middle of a text, so every record decodes with it and without it.
  @Test func aChangedBitOfATextIsLocated() async throws {
    try await expectLocated(byte: 30, decodesWithout: true)
  }

  /// The bit is in the length of a key, so the log decodes only once it is corrected.
  @Test func aChangedBitOfALengthIsLocated() async throws {
    try await expectLocated(byte: 0, decodesWithout: false)
  }

  /// Changes the byte at offset `byte` of the record of `key_10000`, and expects it to be found.
  private func expectLocated(byte: Int, decodesWithout: Bool) async throws {
    var data = try await makeStore()
    let record = try #require(data.firstRange(of: Array("key_10000".utf8))).lowerBound - 1
    #expect(data.count > 1 << 20)
    data[record + byte] ^= 2
    _ = try scratch.write(data, to: "store/kv")
    let check = try await Tool.run(["check", "--json"] + .clock + ["store/kv"], in: scratch.path)
    let place = "0x" + String(record + byte, radix: 16)
    let found = try check.objects("finding").filter { $0["code"]?.string == "mmkv.corrected" }
    #expect(found.count == 1, "\(check.testDescription)")
    let message = try #require(found.first?["message"]?.string)
    #expect(message.contains("\(place) in the data file, XOR 0x02"), "\(message)")
    let decodes = decodesWithout ? "match; every record decodes" : "match and every record decode"
    #expect(message.contains(decodes), "\(message)")
  }
}
