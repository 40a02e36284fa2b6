import Foundation
import KVTestSupport
import Testing

/// A repair of the same files writes the same bytes.
struct ReproducibleRepairTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Returns the files that two repairs with `options` write.
  private func twice(_ options: [String]) async throws -> [[String: Data]] {
    var written: [[String: Data]] = []
    for name in ["one", "two"] {
      let outcome = try await Tool.run(
        ["repair", "-y", "--out", scratch.path(name)] + .clock + options)
      #expect([0, 1, 5].contains(outcome.status), "\(outcome.testDescription)")
      written.append(try FolderState.bytes(in: scratch.path(name)))
      try FileManager.default.removeItem(atPath: scratch.path(name))
    }
    return written
  }

  @Test(arguments: [
    "mmkv/damaged/head_zero_16_fwb", "mmkv/damaged/size_gt_file_small",
    "fastkv-apple/golden/all_types", "fastkv-android/golden/nb_update_inplace",
  ])
  func theSameFilesGiveTheSameBytes(store: String) async throws {
    let written = try await twice(["\(Fixture.root)/\(store)"])
    #expect(written[0] == written[1] && !written[0].isEmpty)
  }

  #if Encryption
    /// The vector is made from the key and the contents: without both, no one can foresee it.
    @Test func theVectorDependsOnTheKeyAndTheContents() async throws {
      let key = ["--key", Fixture.key, Fixture.encrypted.path]
      let same = try await twice(key)
      #expect(same[0] == same[1])
      let vector = { (files: [String: Data]) in files["kv.crc"].map { [UInt8]($0[12..<28]) } }
      let other = try await twice(["--rekey", "another key", Fixture.clean.path])[0]
      let third = try await twice(["--rekey", "a third key", Fixture.clean.path])[0]
      let fewer = try await twice(["--rekey", "another key", Fixture.lossy.path])[0]
      let vectors = [same[0], other, third, fewer].map(vector)
      #expect(Set(vectors).count == 4 && !vectors.contains([UInt8](repeating: 0, count: 16)))
    }

    /// Equal values of an encrypted store of FastKV for Android do not become equal bytes.
    @Test func equalValuesDifferWhereTheyAreEncrypted() async throws {
      let source = try scratch.write(
        Array(#"{"a":"the same text","b":"the same text"}"#.utf8), to: "two.json")
      let made = try await Tool.run([
        "convert", source, "--to", "fastkv-android", "--out", scratch.path("two.kva"),
      ])
      #expect(made.status == 0, "\(made.testDescription)")
      let written = try await twice(["--rekey", "0123456789abcdef", scratch.path("two.kva")])
      #expect(written[0] == written[1])
      let bytes = [UInt8](try #require(written[0]["two.kva"]))
      let blocks = (0..<256).map { Array(bytes[$0..<$0 + 16]) }.filter { $0.contains { $0 != 0 } }
      #expect(Set(blocks).count == blocks.count)
    }
  #endif
}
