import Foundation
import Testing

/// A checksum of another moment that almost matches.
///
/// The difference must not be corrected without a caution, as if it were damage.
struct OtherMomentTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func make(_ lines: [String], _ name: String) async throws -> [UInt8] {
    _ = try scratch.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: "\(name).script")
    let made = try await Tool.run(
      ["fixture", "make", "\(name).script", "--out", name, "--seed", "7"], in: scratch.path)
    #expect(made.status == 0, "\(made.testDescription)")
    return try scratch.bytes(of: "\(name)/kv.crc")
  }

  /// Returns the evidence and the cautions of an entry.
  private func trust(_ store: String, _ key: String) async throws -> [String] {
    let dump = try await Tool.run(["dump", "--json"] + .clock + [store], in: scratch.path)
    let entry = try dump.objects("entry").first { $0["key"]?.string == key }
    let found = try #require(entry)
    let cautions = found["cautions"]?.array?.compactMap(\.string) ?? []
    return [try #require(found["evidence"]?.string)] + cautions
  }

  /// Tests that a lone entry may be newer than its checksum.
  ///
  /// Such an entry is overwritten in place, and the meta file may not be updated yet.
  @Test func aLoneEntryMayBeNewerThanItsChecksum() async throws {
    let meta = try await make(["int32 unread 6"], "one")
    _ = try await make(["int32 unread 7"], "two")
    _ = try scratch.write(meta, to: "two/kv.crc")
    #expect(try await trust("two", "unread") == ["structure", "may-be-stale"])
  }

  /// Tests that a Boolean among several records may be newer than the checksum.
  ///
  /// Such logs differ in one bit if both were rewritten, and only the Boolean was set in between.
  @Test func aBooleanMayBeNewerThanItsChecksum() async throws {
    let meta = try await make(["string uid 1001", "string name Ann", "bool dark 1"], "one")
    _ = try await make(["string uid 1001", "string name Ann", "bool dark 0"], "two")
    _ = try scratch.write(meta, to: "two/kv.crc")
    #expect(try await trust("two", "dark") == ["structure", "may-be-stale"])
    #expect(try await trust("two", "name") == ["corrected"])
  }

  /// Tests that one flipped bit among several records is corrected without a caution.
  @Test func aFlippedBitLeavesNoCaution() async throws {
    _ = try await make(["string uid 1001", "string name Ann", "bool dark 1"], "one")
    var data = try scratch.bytes(of: "one/kv")
    let place = try #require(data.firstRange(of: Array("Ann".utf8))).lowerBound
    data[place] ^= 4
    _ = try scratch.write(data, to: "one/kv")
    #expect(try await trust("one", "name") == ["corrected"])
  }
}
